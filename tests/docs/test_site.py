"""The site builds without a warning, and every link and anchor in it leads somewhere."""

import os
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from docs.pages import ROOT


class Page(HTMLParser):
    """The links, the anchors and the files of other hosts in a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if name := found.get("id") or found.get("name"):
            self.anchors.add(name)
        if tag == "a" and (href := found.get("href")):
            self.links.append(href)
        if source := found.get("src") or (found.get("href") if tag == "link" else None):
            self.loaded.append(source)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}


def test_every_link_leads_to_a_page_and_an_anchor(pages: dict[Path, Page]) -> None:
    assert len(pages) > 100
    assert [*broken(pages)] == []


def broken(pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{path.name}: {link}"
            elif parts.fragment and target in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[target].anchors and anchor != "__tabbed":
                    yield f"{path.name}: {link}"


def test_no_page_loads_anything_from_another_machine(pages: dict[Path, Page]) -> None:
    loaded = {source for page in pages.values() for source in page.loaded}
    assert [source for source in loaded if urlsplit(source).netloc] == []


def test_search_finds_a_setting_a_command_and_a_tool(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text("utf-8")
    for word in ("hooks.userPromptSubmit.minScore", "signet memory erase", "memory_search"):
        assert word in index
