"""Measure the size of the product, the length of its paths and its prose; `ratchets.toml` holds the limits.

`PYTHONPATH=tests .venv/bin/python -m architecture.measures` lowers the limits to today's values.
"""

import ast
import collections
import functools
import re
import sys
import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from architecture.sources import ROOT, SOURCES, nodes
from docs.pages import is_generated
from signet.config.fields import SettingsSection
from signet.config.sections import Settings
from signet.wire.operations import BY_ID
from support.http import Api, an_api

LIMITS = Path(__file__).with_name("ratchets.toml")
DOMAIN = ROOT / "shared" / "signet" / "domain"
#: Folders that declare, serve and call the HTTP operations.
CONTRACT = ("shared/signet/wire/", "shared/signet/client/", "services/api/signet_api/")
Values = dict[str, float]


@functools.cache
def size() -> Values:
    """Return counts of lines, files and names."""
    texts = {path: path.read_text("utf-8") for path in (*SOURCES, *_revisions())}
    lines = {str(path.relative_to(ROOT)): text.count("\n") for path, text in texts.items()}
    nouns = collections.Counter(
        path.relative_to(DOMAIN).parts[0] for path in SOURCES if DOMAIN in path.parents
    )
    contract = sum(count for path, count in lines.items() if path.startswith(CONTRACT))
    return {
        "product_lines": sum(lines.values()),
        "code_lines": sum(_code_lines(path) for path in texts),
        "domain_files": nouns.total(),
        "files_of_the_largest_noun": max(nouns.values()),
        "lines_per_operation": round(contract / len(BY_ID)),
        "duplicate_class_names": _duplicate_classes(),
        "settings_without_a_reader": len(unread_settings()),
        "retrieval_constants": _constants(DOMAIN / "recall" / "tuning.py"),
    }


def unread_settings() -> list[str]:
    """Return the dotted names of settings that the product neither reads as an attribute nor names in a text or table.

    In `config` itself only a method of the section counts as a reader.
    """
    read: set[str] = set()
    for path in SOURCES:
        is_config = "config" in path.parts
        for node in nodes(path):
            if isinstance(node, ast.Attribute):
                if not is_config or (isinstance(node.value, ast.Name) and node.value.id == "self"):
                    read.add(node.attr)
            elif not is_config and isinstance(node, ast.Constant) and isinstance(node.value, str):
                read.add(node.value)
    for table in (ROOT / "shared").rglob("*.toml"):
        read |= set(re.findall(r"\bsetting = '(\w+)'", table.read_text("utf-8")))
    return [name for name in _settings(Settings) if name.rpartition(".")[2] not in read]


def prose() -> Values:
    """Return the marks of translated English in 1,000 words of docstrings, comments, messages and documents."""
    words = marks = 0
    for path in (*SOURCES, *_documents()):
        for text in _prose(path):
            words += len(text.split())
            marks += len(_MARK.findall(text))
    return {"marks_per_1000_words": round(1000 * marks / words, 1)}


def paths() -> dict[str, Values]:
    """Return how many product files and function calls each of five requests enters."""
    tracer = _Tracer()
    threading.setprofile(tracer.count)
    try:
        with tempfile.TemporaryDirectory() as folder, an_api(Path(folder) / "agents") as api:
            for text in _MEMORIES:
                assert api.post("/api/memory/remember", {"content": text}).status == 200
            found: dict[str, list[Values]] = collections.defaultdict(list)
            # Work that is due every few seconds may fall into one of two.
            for word in ("traced", "counted"):
                for name, send in _REQUESTS.items():
                    send(api, "warm")  # caches and imports
                    found[name].append(tracer.measure(partial(send, api, word)))
            return {name: min(two, key=lambda one: one["calls"]) for name, two in found.items()}
    finally:
        threading.setprofile(None)


def limits() -> dict[str, dict[str, Any]]:
    """Return the recorded limits by table."""
    return tomllib.loads(LIMITS.read_text("utf-8"))


def write(values: dict[str, dict[str, Any]]) -> None:
    """Lower each limit to its value where the value is lower; a limit never rises here."""
    recorded = limits()
    rows = ["# Limits that may only fall: `tests/architecture/measures.py` lowers them.", ""]
    rows[0] += " Raising one is a manual edit with its reason in the commit."
    for table, entries in values.items():
        rows += [f"[{table}]"]
        for key, value in entries.items():
            limit = recorded.get(table, {}).get(key)
            least = _merged(limit, value)
            rows += [f"{key} = {_toml(least)}"]
        rows += [""]
    LIMITS.write_text("\n".join(rows[:-1]) + "\n", "utf-8")


def _merged(limit: Any, value: Any) -> Any:
    if limit is None:
        return value
    if isinstance(value, dict):
        return {key: min(limit.get(key, one), one) for key, one in value.items()}
    return min(limit, value)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {one}" for key, one in value.items()) + " }"
    return str(value)


def _revisions() -> list[Path]:
    return sorted((ROOT / "alembic").rglob("*.py"))


def _documents() -> list[Path]:
    written = (path for path in (ROOT / "docs").rglob("*.md") if not is_generated(path))
    return [*ROOT.glob("*.md"), *written, *(ROOT / "loadtests").glob("*.md")]


def _code_lines(path: Path) -> int:
    """Count the lines that are neither blank nor a comment nor part of a docstring."""
    lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
    docs: set[int] = set()
    for node in nodes(path):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            docs.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return sum(1 for n, line in enumerate(lines, 1) if line and line[0] != "#" and n not in docs)


def _constants(path: Path) -> int:
    """Count the names that a module assigns."""
    assigned = (
        one for one in ast.parse(path.read_text("utf-8")).body if isinstance(one, ast.Assign)
    )
    return sum(isinstance(name, ast.Name) for one in assigned for name in ast.walk(one))


def _duplicate_classes() -> int:
    """Count the class names that more than one module of a package (`signet`, `signet_api`, …) defines."""
    names: collections.Counter[tuple[str, str]] = collections.Counter()
    for path in SOURCES:
        parts = path.relative_to(ROOT).parts
        package = next(one for one in parts if one.startswith("signet"))
        for node in ast.iter_child_nodes(nodes(path)[0]):
            if isinstance(node, ast.ClassDef):
                names[package, node.name] += 1
    return sum(1 for count in names.values() if count > 1)


def _settings(section: type[SettingsSection], above: str = "") -> Iterator[str]:
    for item, _, rule in section.DECLARED:
        name = f"{above}.{item.name}" if above else item.name
        if rule.section is None:
            yield name
        else:
            yield from _settings(rule.section, name)


def _prose(path: Path) -> Iterator[str]:
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        plain = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        yield from re.sub(r"`[^`]*`", "", plain).splitlines()
        return
    for line in text.splitlines():
        if (plain := line.strip()).startswith("#"):
            yield plain.lstrip("#: ")
    for node in nodes(path):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and value.count(" ") >= 3 and "SELECT" not in value:
            yield from value.splitlines()


class _Tracer:
    """Counts the calls of product functions, in all threads that were started under it."""

    def __init__(self) -> None:
        self._files: collections.Counter[str] = collections.Counter()
        self._is_on = False

    def count(self, frame: FrameType, event: str, _: object) -> None:
        if self._is_on and event == "call":
            self._files[frame.f_code.co_filename] += 1

    def measure(self, request: Callable[[], None]) -> Values:
        self._files.clear()
        self._is_on = True
        sys.setprofile(self.count)
        try:
            request()
        finally:
            sys.setprofile(None)
            self._is_on = False
        own = {name: calls for name, calls in self._files.items() if name.startswith(_PRODUCT)}
        return {"files": len(own), "calls": sum(own.values())}


def _remember(api: Api, word: str) -> None:
    body = {"content": f"The {word} exporter writes CSV with semicolons"}
    assert api.post("/api/memory/remember", body).status == 200


def _recall(api: Api, word: str) -> None:
    assert api.post("/api/memory/recall", {"query": f"{word} exporter separator"}).body["results"]


def _start(api: Api, word: str) -> None:
    body = {"harness": "claude-code", "session_id": f"s-{word}", "project": "/p/heron"}
    assert api.post("/api/hooks/session-start", body).status == 200


def _prompt(api: Api, word: str) -> None:
    body = {"harness": "claude-code", "session_id": f"p-{word}", "project": "/p/heron"}
    asked = {
        **body,
        "sessionKey": f"p-{word}",
        "userMessage": "Which separator does the exporter write?",
    }
    assert api.post("/api/hooks/user-prompt-submit", asked).status == 200


def _list(api: Api, _: str) -> None:
    assert api.get("/api/memories?limit=20").body["memories"]


_REQUESTS: dict[str, Callable[[Api, str], None]] = {
    "save": _remember,
    "recall": _recall,
    "start": _start,
    "prompt": _prompt,
    "list": _list,
}
_MEMORIES = (
    "The heron exporter writes CSV with semicolons, because of German Excel",
    "Mira prefers tabs over spaces",
    "We decided to cap retries at seven with jitter",
    "The staging database runs PostgreSQL 16",
    "Releases go out on Thursdays only",
    "Ask Jonas before changing the schema",
    "The mail queue retries seven times",
    "Invoice numbers get the prefix KESTREL",
)
_PRODUCT = tuple(str(ROOT / folder) + "/" for folder in ("shared", "services"))
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
#: Words and turns of phrase that are frequent in translated prose and rare in the documentation of well-kept libraries.
_MARK = re.compile(
    r"""\b(?:
        (?:is|are|was|were|be|been)\ told | tells?\ (?:of|what|which|whether|how|nothing|apart)
      | says?\ (?:what|which|whether|how|so|of|the\ same|nothing|where)
      | what\ (?:is|was|has|had|were|are)\ (?:said|told|asked|given|known|kept|held|left|done|read|there|new|due|near
            |not|no|none|wanted|meant|found|forgotten|saved|stored)
      | what\ (?:people|a\ person|somebody|nobody|others|it|they)\ (?:says?|said|sees?|types?|gets?|asks?)
      | (?:is|are)\ none | whoever | nobody | anew | beside(?!\ the\ point)
      | so\ (?:many|much|long|far|near)(?!\ (?:as|that)) | as\ (?:it|they)\ (?:is|are|was|were|stands?|says?)
      | stands?\ (?:in|at|for|beside|behind|there|where|whole|so|twice|once|as)
      | go(?:es)?\ (?:along|with\ it|with\ them) | goes\ (?:away|with|out\ of)
      | comes?\ (?:back|along|first|with\ it|to\ mind) | the\ room | has\ room | of\ (?:its|their)\ own
      | if\ any | at\ (?:most|least)\ so | so\ it\ is | by\ itself | of\ itself
      | is\ (?:well|wanted|meant|due|over|away) | looks?\ (?:whether|for\ what|at\ what|what) | much\ the\ same | alike
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


def main() -> None:
    """Lower the limits to today's values."""
    write({"size": size(), "prose": prose(), "paths": dict(paths())})


if __name__ == "__main__":
    main()
