"""Updates over HTTP, against an index on this machine: nobody is asked who was not allowed to be."""

import json
from collections.abc import Iterator

import pytest

from signet import __version__, clock
from signet.domain.updates import check
from support.http import Api
from support.pages import Page, Site, a_site

PATH = "/simple/signetai/"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with a_site() as running:
        yield running


@pytest.fixture(autouse=True)
def index(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """Let the index of this machine be ours, and offer some versions."""
    monkeypatch.setenv("PIP_INDEX_URL", site.url("/simple"))
    site.asked.clear()
    site.pages.clear()
    offers(site, "0.0.1", "0.998.0", "0.999.0rc1", yanked=("0.999.0",))
    return site


def offers(site: Site, *there: str, yanked: tuple[str, ...] = ()) -> None:
    """Let the index offer these versions."""
    files = [
        {
            "filename": f"signetai-{name}.tar.gz",
            "yanked": name in yanked,
            "upload-time": "2026-05-01T10:00:00.000Z",
        }
        for name in (*there, *yanked)
    ]
    kind = "application/vnd.pypi.simple.v1+json"
    body = json.dumps({"files": files}).encode()
    site.pages[PATH] = Page(body=body, headers={"Content-Type": kind})


def test_nobody_is_asked_until_a_person_asks(api: Api, site: Site) -> None:
    body = api.get("/api/update/check").body
    assert site.asked == []
    assert (body["latestVersion"], body["updateAvailable"], body["cached"]) == (None, False, False)
    assert body["checkError"] == check.NOT_ALLOWED
    asked = api.get("/api/update/check?force=true").body
    assert [path for path, _ in site.asked] == [PATH]
    assert asked == {
        "currentVersion": __version__,
        "latestVersion": "0.998.0",
        "updateAvailable": True,
        "isMajorUpgrade": False,
        "restartRequired": False,
        "cached": False,
        "checkedAt": asked["checkedAt"],
        "publishedAt": "2026-05-01T10:00:00.000Z",
    }
    again = api.get("/api/update/check").body
    assert again == asked | {"cached": True}
    assert len(site.asked) == 1
    told = site.asked[0][1]
    assert not {"cookie", "authorization", "referer"} & set(told)


def test_where_it_was_allowed_the_index_is_asked_once_an_hour(api: Api, site: Site) -> None:
    api.configure("updates: {auto_check: true, channel: next}\n")
    assert api.get("/api/update/check").body["latestVersion"] == "0.999.0rc1"
    assert api.get("/api/update/check").body["cached"] is True
    file = api.state.workspace.daemon_dir / "update.json"
    known = json.loads(file.read_text())
    hour_ago = clock.ms_to_text(clock.wall_ms() - 3_600_000)
    file.write_text(json.dumps(known | {"checked_at": hour_ago}))
    assert api.get("/api/update/check").body["cached"] is False
    assert len(site.asked) == 2


@pytest.mark.parametrize("answer", ["gone", "nonsense", "refused"])
def test_an_index_that_does_not_answer_leaves_what_was_known(
    api: Api, site: Site, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    api.get("/api/update/check?force=true")
    if answer == "gone":
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    elif answer == "nonsense":
        site.pages[PATH] = Page(body=b"<html>", headers={})
    else:
        site.pages[PATH] = Page(status=503, body=b"later", headers={})
    body = api.get("/api/update/check?force=true").body
    assert body["checkError"] and body["latestVersion"] == "0.998.0"
    assert api.post("/api/update/run").body["success"] is False


def test_an_index_that_does_not_know_us_is_no_proof_of_being_new(api: Api, site: Site) -> None:
    del site.pages[PATH]
    body = api.get("/api/update/check?force=true").body
    assert body["checkError"].endswith("/simple does not know signetai")
    assert (body["latestVersion"], body["updateAvailable"]) == (None, False)


def simple(site: Site, form: str, *files: tuple[str, bool]) -> None:
    """Let the index have these files, yanked or not."""
    kind = "application/vnd.pypi.simple.v1+json"
    body = json.dumps({"files": [{"filename": name, "yanked": yanked} for name, yanked in files]})
    if form == "html":
        kind = "text/html"
        links = (
            f'<a href="../../{name}#sha256=0" data-requires-python=">=3.9"'
            f"{' data-yanked' if yanked else ''}>\n {name}</a><br>"
            for name, yanked in files
        )
        body = f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>"
    site.pages[PATH] = Page(body=body.encode(), headers={"Content-Type": kind})


@pytest.mark.parametrize("form", ["json", "html"])
def test_both_forms_of_an_index_are_understood(api: Api, site: Site, form: str) -> None:
    simple(
        site,
        form,
        ("signetai-0.997.0.tar.gz", False),
        ("signetai-0.998.1-py3-none-any.whl", False),
        ("signetai-0.998.2-py3-none-any.whl", True),
        ("signetai-0.999.0rc1.tar.gz", False),
        ("signetai-tools-9.0.0.tar.gz", False),
        ("signetai-0.998.3.exe", False),
        ("README", False),
    )
    body = api.get("/api/update/check?force=true").body
    assert (body["latestVersion"], body["updateAvailable"]) == ("0.998.1", True)
    assert "checkError" not in body
    assert "application/vnd.pypi.simple.v1+json" in site.asked[-1][1]["accept"]


@pytest.mark.parametrize(
    "page",
    [b"", b"{}", b'{"files": 5}', b"<html></html>", b"\xff\x00"],
    ids=["empty", "nothing", "number", "no_links", "noise"],
)
def test_a_page_that_is_none_of_a_package_leaves_what_was_known(
    api: Api, site: Site, page: bytes
) -> None:
    site.pages[PATH] = Page(body=page, headers={})
    body = api.get("/api/update/check?force=true").body
    assert body["checkError"] and body["updateAvailable"] is False


def test_an_index_without_a_version_that_fits_has_nothing_newer(api: Api, site: Site) -> None:
    offers(site, "0.999.0rc1", yanked=("0.999.0",))
    body = api.get("/api/update/check?force=true").body
    assert (body["latestVersion"], body["updateAvailable"]) == (__version__, False)
    assert api.post("/api/update/run").body == {
        "success": True,
        "message": "Already running the latest version.",
        "restartRequired": False,
    }


def test_settings_are_written_to_the_file(api: Api) -> None:
    changed = api.post(
        "/api/update/config", {"auto_install": "true", "checkInterval": "900", "autoCheck": False}
    ).body
    assert (changed["success"], changed["persisted"]) == (True, True)
    api.state.live.poll()
    body = api.get("/api/update/config").body
    assert body == {
        "autoInstall": True,
        "autoCheck": False,
        "checkInterval": 900,
        "channel": "latest",
        "minInterval": 300,
        "maxInterval": 604_800,
        "pendingRestartVersion": None,
        "lastAutoUpdateAt": None,
        "lastAutoUpdateError": None,
        "updateInProgress": False,
    }


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"autoInstall": "maybe"}, "autoInstall must be true or false"),
        ({"auto_install": 1}, "autoInstall must be true or false"),
        ({"checkInterval": 299}, "checkInterval must be between 300 and 604800 seconds"),
        ({"check_interval": "604801"}, "checkInterval must be between 300 and 604800 seconds"),
        ({"checkInterval": True}, "checkInterval must be between 300 and 604800 seconds"),
        ({"checkInterval": "soon"}, "checkInterval must be between 300 and 604800 seconds"),
        ({"checkInterval": 1e99}, "checkInterval must be between 300 and 604800 seconds"),
    ],
)
def test_settings_that_make_no_sense_change_nothing(api: Api, body: object, words: str) -> None:
    file = api.state.workspace.root / "agent.yaml"
    before = file.read_bytes()
    refused = api.post("/api/update/config", body)
    assert (refused.status, refused.error, refused.body["success"]) == (400, words, False)
    assert file.read_bytes() == before


def test_only_a_version_can_be_installed(api: Api) -> None:
    assert api.post("/api/update/run", {"targetVersion": "1.0.0; rm"}).status == 400
