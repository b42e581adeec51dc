"""The page at the daemon's address: the status, for those who may see it, and nothing from elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path

from support.http import Api, an_api
from support.tokens import a_token, bearer


class Links(HTMLParser):
    """Collects what a page names elsewhere, and the elements that could run something."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("href", "src")]
        assert not any(name.startswith("on") for name, _ in attrs)


def test_the_page_tells_the_status_and_loads_nothing(api: Api) -> None:
    api.post("/api/memory/remember", {"content": "The harbour opens at six."})
    answer = api.get("/")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert re.search(r"<dt>Memories</dt><dd>1</dd>", answer.body)
    assert str(api.state.workspace.root) in answer.body
    found = Links(answer.body)
    assert "script" not in found.tags
    assert "$" not in answer.body
    local = [one for one in found.addresses if one != "data:,"]
    assert {"/health", "/api/status", "/api/memories", "/docs"} <= set(local)
    for address in local:
        assert api.get(address).status == 200, address


def test_what_a_person_wrote_is_text_on_the_page(tmp_path: Path) -> None:
    with an_api(tmp_path / "<b>bold&") as api:
        page = api.get("/").body
    assert "<b>" not in page
    assert "&lt;b&gt;bold&amp;" in page


def test_without_a_token_where_one_is_wanted_the_page_tells_nothing_of_the_daemon(
    tmp_path: Path,
) -> None:
    settings = "auth:\n  mode: team\n"
    with an_api(tmp_path / "agents", settings, peer="192.0.2.7", bind="0.0.0.0") as api:
        page = api.get("/")
        assert page.status == 200
        assert "wants a token" in page.body
        assert str(tmp_path) not in page.body and "<dt>" not in page.body
        assert "<dt>Memories</dt>" in api.get("/", **bearer(a_token(api, "readonly"))).body
