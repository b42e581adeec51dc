"""Which pages may call: ours and trusted ones alone, whatever tricks others use; programs may."""

import pytest

from signet_api import browser
from signet_api.browser import FOREIGN, LINK, NOT_JSON, Page, page_of
from support.http import Served

#: One process for the whole file.
LIVE = "/health/live"
OWN = "http://127.0.0.1:3850"


def headers_of(**headers: str) -> dict[bytes, bytes]:
    named = {"host": "127.0.0.1:3850"} | headers
    return {name.replace("_", "-").encode(): value.encode() for name, value in named.items()}


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
        "http://localhost:5173",
        "http://127.0.0.1:3851",
        "http://127.0.0.1",
        "http://localhost:3850",
        "https://127.0.0.1:3850",
        "https://[::1]",
        "tauri://localhost",
        "chrome-extension://abcdefghijklmnop",
        f"{OWN}/",
        f"{OWN}, {OWN}",
        "http://127.0.0.1:38500",
    ],
)
@pytest.mark.parametrize("site", ["same-origin", "same-site", "cross-site", "none", None])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_a_page_of_another_origin_is_foreign(method: str, site: str | None, origin: str) -> None:
    sent = {"origin": origin, "content_type": "application/json"}
    sent |= {"sec_fetch_site": site} if site else {}
    assert page_of(method, "/", headers_of(**sent)) == FOREIGN


@pytest.mark.parametrize(
    "site", ["same-site", "cross-site", "", "SAME-ORIGIN", "same-origin, none"]
)
def test_a_browser_that_says_another_site_is_foreign(site: str) -> None:
    for origin in ({}, {"origin": OWN}):
        sent = headers_of(**origin, sec_fetch_site=site)
        assert page_of("GET", "/api/memories", sent) == FOREIGN


def test_our_own_page_reads_and_writes_json() -> None:
    own = {"origin": OWN, "sec_fetch_site": "same-origin"}
    assert page_of("GET", "/api/memories", headers_of(sec_fetch_site="same-origin")) is Page.OWN
    assert page_of("GET", "/api/status", headers_of(sec_fetch_site="none")) is Page.OWN
    assert page_of("DELETE", "/api/skills/x", headers_of(**own)) is Page.OWN
    for kind in ("application/json", "application/json; charset=utf-8", "Application/JSON"):
        sent = headers_of(**own, content_type=kind, content_length="2")
        assert page_of("POST", "/api/memories", sent) is Page.OWN


@pytest.mark.parametrize("origin", [OWN, "https://notes.example"])
@pytest.mark.parametrize(
    "body",
    [
        {"content_type": "text/plain", "content_length": "2"},
        {"content_type": "text/plain;application/json", "content_length": "2"},
        {"content_type": "application/x-www-form-urlencoded"},
        {"content_type": "multipart/form-data; boundary=x", "content_length": "2"},
        {"content_type": "application/jsonp", "content_length": "2"},
        {"content_length": "2"},
        {"transfer_encoding": "chunked"},
    ],
)
def test_a_page_writes_json_and_nothing_else(origin: str, body: dict[str, str]) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        sent = headers_of(origin=origin, **body)
        assert page_of(method, "/x", sent, trusted=["https://notes.example"]) == NOT_JSON


def test_a_proxy_may_add_encryption() -> None:
    sent = headers_of(host="signet.example", origin="https://signet.example")
    assert page_of("GET", "/", sent, schemes=("http", "https")) is Page.OWN
    assert page_of("GET", "/", sent) == FOREIGN


def test_a_program_is_no_page() -> None:
    for sent in ({}, {"content_type": "text/plain"}, {"sec_fetch_mode": "cors"}):
        assert page_of("POST", "/api/memory/remember", headers_of(**sent)) is None


def test_a_link_opens_our_pages_and_nothing_else() -> None:
    link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
    document = {**link, "sec_fetch_dest": "document"}
    for path in ("/", "/docs", "/capture"):
        assert page_of("GET", path, headers_of(**document)) is None
        assert page_of("POST", path, headers_of(**document)) == FOREIGN
        assert page_of("GET", path, headers_of(**link)) == FOREIGN
        for dest in ("iframe", "embed", "object", "frame", "empty"):
            assert page_of("GET", path, headers_of(**link, sec_fetch_dest=dest)) == FOREIGN
    for path in ("/api/memories", "/metrics", "/api/export", "//", "/docs/", "/openapi.json"):
        assert page_of("GET", path, headers_of(**document)) == LINK
    assert {"/", "/docs"} <= browser._HTML


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
def test_a_host_that_is_not_this_machine_is_refused(server: Served, host: str) -> None:
    refused = server.over_tcp.get(LIVE, host=host)
    assert (refused.status, refused.error) == (403, "Host is not this machine")


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://[evil"},
        {"origin": "http://localhost:5173"},
        {"origin": "http://localhost:5173", "sec_fetch_site": "same-site"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_the_process_refuses_before_any_route_and_stores_nothing(
    server: Served, headers: dict[str, str]
) -> None:
    server = server.over_tcp
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
        {"host": "LOCALHOST:1"},
        {"host": "127.8.8.8"},
        {"host": "[::1]:1", "origin": "http://[::1]:1", "sec_fetch_site": "same-origin"},
        {"sec_fetch_site": "none"},
        {"host": "localhost:1", "sec_fetch_site": "none", "sec_fetch_mode": "navigate"},
    ],
)
def test_the_process_answers_this_machine_without_opening_itself_to_others(
    server: Served, headers: dict[str, str]
) -> None:
    answer = server.over_tcp.get(LIVE, **headers)
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers", [{"origin": "http://localhost:1"}, {"sec_fetch_site": "same-origin"}]
)
def test_a_page_at_a_name_that_another_user_may_answer_for_is_not_ours(
    server: Served, headers: dict[str, str]
) -> None:
    for host in ("localhost:1", "LOCALHOST:1"):
        refused = server.over_tcp.get("/api/memories", **headers, host=host)
        assert (refused.status, refused.body["code"]) == (403, "forbidden_origin")


@pytest.mark.parametrize("site", ["none", "same-origin", "cross-site"])
def test_our_page_moves_from_the_name_to_the_address(server: Served, site: str) -> None:
    opened = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document", "sec_fetch_site": site}
    moved = server.over_tcp.get("/?a=b", **opened, host="localhost:1234")
    assert (moved.status, moved.headers["location"]) == (307, "http://127.0.0.1:1234/?a=b")
    assert server.over_tcp.get("/", **opened).status == 200
    assert server.over_tcp.get("/", host="localhost").status == 200


def test_a_browser_that_asks_for_permission_first_gets_none(server: Served) -> None:
    asked = server.send(
        "OPTIONS",
        "/api/memory/remember",
        headers={"origin": "http://localhost:5173", "access-control-request-method": "POST"},
    )
    assert (asked.status, asked.body["code"]) == (403, "forbidden_origin")
    assert not [name for name in asked.headers if name.startswith("access-control")]
