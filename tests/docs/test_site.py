"""The site builds without a warning: mkdocs checks every link and anchor, and nothing is loaded from elsewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from docs.pages import ROOT

#: A file that a browser loads with a page.
LOADED = re.compile(r'<(?:script|img|iframe|source)[^>]*\bsrc="([^"]+)|<link[^>]*\bhref="([^"]+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_no_page_loads_anything_from_another_machine(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 100
    found = {one for path in pages for one in LOADED.findall(path.read_text("utf-8"))}
    assert [one for one in found if urlsplit("".join(one)).netloc] == []


def test_search_finds_a_setting_a_command_and_a_tool(site: Path) -> None:
    index = (site / "search" / "search_index.json").read_text("utf-8")
    for word in ("hooks.userPromptSubmit.minScore", "signet memory erase", "memory_search"):
        assert word in index
