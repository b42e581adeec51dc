"""Who may call: pages of other sites may not, whatever trick they use; programs and our own pages may."""

from urllib.parse import quote

import pytest

from signet_api.guard import refuse
from support.http import Served

#: One process for the whole file.
LIVE = "/health/live"


def headers_of(**headers: str) -> dict[bytes, bytes]:
    named = {"host": "127.0.0.1:3850"} | headers
    return {name.replace("_", "-").encode(): value.encode() for name, value in named.items()}


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:3850",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.example@127.0.0.1.evil.example",
        "192.168.1.5:3850",
        "0.0.0.0:3850",
        "[fe80::1]:3850",
        "[",
        "",
    ],
)
def test_a_host_that_is_not_this_machine_is_refused(host: str) -> None:
    assert refuse("GET", headers_of(host=host)) == "Host is not this machine"


@pytest.mark.parametrize(
    "host", ["127.0.0.1:3850", "localhost", "LOCALHOST:1", "[::1]:3850", "127.8.8.8"]
)
def test_a_host_that_is_this_machine_passes(host: str) -> None:
    assert refuse("POST", headers_of(host=host)) is None


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://localhost.evil.example",
        "http://localhost@evil.example",
        "http://evil.example#localhost",
        "http://[evil",
        "file://",
        "null",
        "",
    ],
)
def test_an_origin_that_is_not_this_machine_is_refused(origin: str) -> None:
    assert refuse("GET", headers_of(origin=origin)) == "Origin is not this machine"


@pytest.mark.parametrize(
    "origin",
    ["http://localhost:5173", "http://127.0.0.1:3850", "https://[::1]", "tauri://localhost"],
)
def test_a_page_of_this_machine_passes(origin: str) -> None:
    assert refuse("POST", headers_of(origin=origin, sec_fetch_site="same-site")) is None


def test_a_cross_site_request_is_refused_except_a_link_that_a_person_follows() -> None:
    assert refuse("GET", headers_of(sec_fetch_site="cross-site")) == "Cross-site request"
    followed = headers_of(sec_fetch_site="cross-site", sec_fetch_mode="navigate")
    assert refuse("GET", followed) is None
    assert refuse("POST", followed) == "Cross-site request"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://[evil"},
        {"sec_fetch_site": "cross-site"},
    ],
)
def test_the_process_refuses_before_any_route_and_stores_nothing(
    server: Served, headers: dict[str, str]
) -> None:
    before = server.get("/api/memories").body["stats"]["total"]
    for path in (LIVE, "/metrics", "/api/nothing"):
        refused = server.get(path, **headers)
        assert (refused.status, refused.body["code"]) == (403, "forbidden_origin")
        assert refused.error
    assert server.post("/api/memory/remember", {"content": "Stolen."}, **headers).status == 403
    assert server.get("/api/memories").body["stats"]["total"] == before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "localhost"},
        {"host": "[::1]:3850"},
        {"origin": "http://localhost:5173"},
        {"origin": "http://127.0.0.1:1", "sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
    ],
)
def test_the_process_answers_this_machine_without_opening_itself_to_others(
    server: Served, headers: dict[str, str]
) -> None:
    answer = server.get(LIVE, **headers)
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"


def test_a_browser_that_asks_for_permission_first_gets_none(server: Served) -> None:
    asked = server.send(
        "OPTIONS",
        "/api/memory/remember",
        headers={"origin": "http://localhost:5173", "access-control-request-method": "POST"},
    )
    assert (asked.status, asked.error) == (405, "Method not allowed")
    assert not [name for name in asked.headers if name.startswith("access-control")]


def test_a_call_that_means_another_workspace_is_refused_before_its_body_is_read(
    server: Served,
) -> None:
    own = quote(str(server.workspace.root))
    saved = {"content": "The heron nests on the mast."}
    assert server.post("/api/memory/remember", saved, x_signet_home=own).status == 200
    refused = server.post("/api/memory/remember", b"no JSON", x_signet_home="/work/b%C3%B6at%207")
    assert (refused.status, refused.body["code"]) == (421, "other_workspace")
    assert refused.body["workspace"] == str(server.workspace.root)
    assert f"--path '/work/böat 7' --port {server.port + 1}" in refused.error
    assert server.get("/api/memories").body["stats"]["total"] == 1


def test_a_web_page_learns_no_workspace_from_it(server: Served) -> None:
    page = {"origin": "https://evil.example", "x_signet_home": "/other"}
    refused = server.post("/api/memory/remember", {"content": "x"}, **page)
    assert refused.status == 403
    assert str(server.workspace.root) not in str(refused.body)
