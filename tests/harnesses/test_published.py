"""The plugins, extensions and bundles in the repository: as they are made, of one version, calling what there is."""

import json
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path

from cli.program import ROOT
from signet import __version__
from signet.cli.hook import parse

MADE: Mapping[str, str] = runpy.run_path(str(ROOT / "plugins" / "generate.py"))["files"]()
FOLDERS = (".claude-plugin", ".agents", ".cursor-plugin", "plugins")


def committed() -> Iterator[Path]:
    for folder in FOLDERS:
        found = (ROOT / folder).rglob("*")
        yield from (one for one in found if one.is_file() and one.suffix in (".json", ".md"))


def test_what_is_committed_is_what_is_made() -> None:
    plugins = (ROOT / place for place in MADE if place.startswith("shared/"))
    paths = (*committed(), *plugins)
    found = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}
    assert found == MADE, "run `python plugins/generate.py`"


def test_all_of_them_are_of_this_version() -> None:
    found = {
        place: version
        for place, text in MADE.items()
        for version in _values(text, "version", place)
    }
    assert {*found.values()} == {__version__, 1} and len(found) >= 9
    assert f"mcp-name: {json.loads(MADE['plugins/server.json'])['name']} " in (
        (ROOT / "README.md").read_text("utf-8")
    )


def test_the_hooks_in_them_are_understood() -> None:
    commands = [one for place, text in MADE.items() for one in _values(text, "command", place)]
    hooks = [str(one) for one in commands if str(one).startswith("signet hook ")]
    assert len(hooks) >= 14
    assert {*commands} - {*hooks} == {"signet-mcp", "uvx"}
    for one in hooks:
        assert parse(one.replace('"$(pwd)"', "/work").split()[2:]).harness in one


def _values(text: str, key: str, place: str) -> Iterator[object]:
    """Yield what stands below a key anywhere in a file of JSON."""
    waiting = [json.loads(text)] if place.endswith(".json") else []
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from (value for name, value in one.items() if name == key)
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
