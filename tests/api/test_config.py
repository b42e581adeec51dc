"""The files of a workspace over HTTP: read in order, replaced whole or not at all; identity, greeting, texts."""

import hashlib
from pathlib import Path

import pytest

from signet.domain.identity import files
from support.http import SETTINGS, Api


def names(api: Api) -> list[str]:
    """Return the names of the files that are listed."""
    return [file["name"] for file in api.get("/api/config").body["files"]]


def test_the_files_come_in_the_order_that_people_read_them(api: Api) -> None:
    root = api.state.workspace.root
    for name in ("zebra.md", "USER.md", "IDENTITY.md", "AGENTS.md", "apple.yaml", "notes.txt"):
        (root / name).write_text(f"# {name} ä", "utf-8")
    (root / "folder.md").mkdir()
    assert names(api) == [
        "agent.yaml",
        "AGENTS.md",
        "IDENTITY.md",
        "USER.md",
        "apple.yaml",
        "zebra.md",
    ]
    file = api.get("/api/config").body["files"][1]
    digest = hashlib.sha256("# AGENTS.md ä".encode()).hexdigest()
    assert file == {"name": "AGENTS.md", "content": "# AGENTS.md ä", "size": 14, "hash": digest}


def test_a_link_that_leaves_the_workspace_is_neither_shown_nor_written(
    api: Api, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("private", "utf-8")
    (api.state.workspace.root / "SOUL.md").symlink_to(outside)
    assert names(api) == ["agent.yaml"]
    refused = api.post("/api/config", {"file": "SOUL.md", "content": "mine"})
    assert (refused.status, refused.error) == (400, "Invalid file name")
    assert outside.read_text("utf-8") == "private"


def test_a_session_is_told_no_keys_that_a_link_leads_to(api: Api, tmp_path: Path) -> None:
    """Whoever may write in the workspace may not read what the daemon can."""
    for name, target in (
        ("SOUL.md", "id_x"),
        ("USER.md", ".aws/credentials"),
        ("MEMORY.md", ".ssh/key.pem"),
        ("AGENTS.md", "dotfiles/AGENTS.md"),
    ):
        path = tmp_path / target
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"Text of {target}", "utf-8")
        (api.state.workspace.root / name).symlink_to(path)
    said = api.post("/api/hooks/session-start", {"harness": "codex", "sessionKey": "s"}).body
    assert "Text of dotfiles/AGENTS.md" in said["inject"]
    assert said["inject"].count("Text of") == 1


def test_a_file_is_replaced_as_it_was_sent_and_keeps_its_mode(api: Api) -> None:
    path = api.state.workspace.root / "SOUL.md"
    path.write_text("before", "utf-8")
    path.chmod(0o640)
    sent = "one\r\ntwo\n\u2028three"
    answer = api.post("/api/config", {"file": "SOUL.md", "content": sent})
    assert (answer.status, answer.body) == (200, {"success": True})
    assert path.read_bytes() == sent.encode()
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 400, "Invalid request"),
        ({"file": "SOUL.md"}, 400, "Invalid request"),
        ({"file": "SOUL.md", "content": 7}, 400, "Invalid request"),
        ({"file": ["SOUL.md"], "content": ""}, 400, "Invalid request"),
        ({"file": "a/b.md", "content": ""}, 400, "Invalid file name"),
        ({"file": "a\\b.md", "content": ""}, 400, "Invalid file name"),
        ({"file": "..md", "content": ""}, 400, "Invalid file name"),
        ({"file": "a\0.md", "content": ""}, 400, "Invalid file name"),
        ({"file": "notes.txt", "content": ""}, 400, "Invalid file type"),
        ({"file": ".md", "content": ""}, 400, "Invalid file type"),
        ({"file": "a" * 300 + ".md", "content": ""}, 400, "cannot be written"),
        ({"file": "SOUL.md", "content": "x" * 1_048_577}, 413, "longer than"),
        ({"file": "agent.yaml", "content": "a: 1\nb: [unclosed\n"}, 400, "agent.yaml line"),
        ({"file": "agent.yaml", "content": "- one\n"}, 400, "must contain keys and values"),
    ],
)
def test_what_cannot_be_written_is_refused_and_changes_nothing(
    api: Api, body: object, status: int, words: str
) -> None:
    root = api.state.workspace.root
    before = {path: path.read_bytes() for path in root.iterdir() if path.is_file()}
    refused = api.post("/api/config", body)
    assert refused.status == status
    assert words in refused.error
    assert {path: path.read_bytes() for path in root.iterdir() if path.is_file()} == before


def test_settings_that_were_written_are_in_force(api: Api) -> None:
    api.post("/api/config", {"file": "agent.yaml", "content": SETTINGS + "features: {bees: true}"})
    api.state.live.poll()
    assert api.get("/api/features").body == {"bees": True}


def test_identity_is_read_from_its_lines(api: Api) -> None:
    assert api.get("/api/identity").body == {"name": "Unknown", "creature": "", "vibe": ""}
    text = "# Me\n\n- name: Juno\n- **creature:** a heron: grey\n- vibe:\n- name: Other\n"
    (api.state.workspace.root / "IDENTITY.md").write_text(text, "utf-8")
    assert api.get("/api/identity").body == {
        "name": "Juno",
        "creature": "a heron: grey",
        "vibe": "",
    }


def test_the_first_page_has_one_answer(api: Api) -> None:
    ids = [
        api.post("/api/memory/remember", {"content": text}).body["id"]
        for text in ("The kiln is lit on Mondays.", "The kiln is cold.")
    ]
    api.delete(f"/api/memory/{ids[1]}?reason=wrong")
    home = api.get("/api/home").body
    assert home["reviews"] == {"memories": [], "next": None, "total": 0}
    assert home["forgotten"]["memories"] == []
    assert home["forgotten"]["total"] == 1
    assert home["kept"] == 0
    assert home["digest"] == [] and home["imported"] == []
    assert api.get("/api/home?tz=Nowhere/Land").status == 400
    ended = {"harness": "codex", "sessionKey": "kiln", "transcript": "User: Is the kiln lit?"}
    api.post("/api/hooks/session-end", ended)
    assert api.get("/api/home").body["kept"] == 1


def test_the_first_page_greets_and_the_texts_of_the_product_are_there(api: Api) -> None:
    assert api.get("/api/home/greeting").body["greeting"].startswith("good ")
    for path, heading in (("changelog", "Changelog"), ("readme", "Signet")):
        text = api.get(f"/api/{path}").body
        assert text["content"].startswith(f"# {heading}")
        assert text["html"].startswith(f"<h1>{heading}</h1>")
        assert (text["source"], type(text["cachedAt"])) == ("local", int)
        assert api.get(f"/api/{path}?html=false").body.keys() == text.keys() - {"html"}
    assert "<table>" in api.get("/api/readme").body["html"]
    missing = api.get("/api/roadmap")
    said = "ROADMAP.md did not come with this version of Signet."
    assert (missing.status, missing.body["html"]) == (200, f"<p>{said}</p>\n")


def test_nothing_in_a_text_of_the_product_runs_in_a_page() -> None:
    html = files.html_of("# Next\n\n<script>evil()</script>\n\n[x](javascript:evil())\n")
    assert "<h1>Next</h1>" in html and "<script" not in html and 'href="javascript' not in html
