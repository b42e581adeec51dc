"""The page at the daemon's address: its files, their headers, and who may have them."""

import re
from pathlib import Path

from signet_api.dashboard import INDEX, POLICY, files
from support.http import Api, an_api


def test_the_page_comes_with_a_policy_that_lets_nothing_in(api: Api) -> None:
    for path in ("/", "/capture"):
        page = api.get(path)
        assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert page.headers["content-security-policy"] == POLICY
        assert page.headers["cache-control"] == "no-cache"
    assert "unsafe" not in POLICY and "default-src 'none'" in POLICY
    assert "require-trusted-types-for 'script'" in POLICY
    asks_for_nothing = page.body.replace(
        "xmlns='http://www.w3.org/2000/svg'", ""
    )  # the icon's, a name and no address
    assert not re.search(
        r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|https?://", asks_for_nothing
    )


def test_every_file_that_the_page_names_is_there(api: Api) -> None:
    named = set(re.findall(r'(?:src|href)="(/[^"]+)"', api.get("/").body))
    assert len(named) >= 4
    for address in named:
        found = api.get(address)
        assert found.status == 200
        assert found.headers["x-content-type-options"] == "nosniff"
        is_hashed = re.search("/(index|chunk)-", address) is not None
        assert ("immutable" in found.headers["cache-control"]) == is_hashed, address


def test_a_file_that_is_known_is_not_sent_again(api: Api) -> None:
    for name in files():
        address = "/" if name == INDEX else f"/assets/{name}"
        etag = api.get(address).headers["etag"]
        assert (api.get(address, if_none_match=etag).status, api.get(address).status) == (304, 200)


def test_a_name_that_is_none_of_the_files_is_not_found(api: Api) -> None:
    for name in ("gone.js", "..%2f__init__.py", "..%5c__init__.py", "%2e%2e", "%00", "index-.js"):
        assert (api.get(f"/assets/{name}").status, api.get(f"/assets/{name}").error) == (
            404,
            "Not found",
        )


def test_without_a_token_where_one_is_wanted_there_is_the_page_and_nothing_else(
    tmp_path: Path,
) -> None:
    settings = "auth:\n  mode: team\n"
    with an_api(tmp_path / "agents", settings, peer="192.0.2.7", bind="0.0.0.0") as api:
        page = api.get("/")
        assert page.status == 200 and str(tmp_path) not in page.body
        assert api.get("/assets/icon.svg").status == 200
        assert api.get("/api/memories").status == 401
