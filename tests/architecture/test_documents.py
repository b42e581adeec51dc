"""What the code cites is in the repository: rules by their ids, decisions by numbers, documents by paths."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from architecture.sources import ROOT

RULES = ROOT / "docs" / "rules"
DECISIONS = ROOT / "docs" / "decisions"

CODE = ("shared", "services", "tests", "alembic", "loadtests", "deploy")
ENDINGS = {".py", ".sql", ".toml", ".mako", ".md", ".conf", ".yml"}

#: What looks like the id of a rule and is none: standards, formats, names of models and of test networks.
OTHERS = {"UTF", "SHA", "ECMA", "ISO", "GPT", "PDF", "SSH", "KEY", "NET", "RFC"}

ID = re.compile(r"(?<![\w-])([A-Z]{2,4})-(\d{1,3})(?:(?: to |–)(?:\1-)?(\d{1,3}))?(?![\w-])")
DECISION = re.compile(r"\bdecision (\d+)\b")
#: Documents that were there while the product was built.
GONE = re.compile(r"\b(?:spec|design)/[a-z][\w-]*|\b[a-z-]+\.md §|\bdesign [A-Z]-\d")
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")


@cache
def texts() -> dict[str, str]:
    """Return every text of code and tests by its place."""
    return {
        str(path.relative_to(ROOT)): path.read_text("utf-8")
        for folder in CODE
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in ENDINGS and path != Path(__file__)
    }


def headings() -> dict[str, str]:
    """Return every rule by its id with the page that it is on."""
    return {
        rule: page.name
        for page in sorted(RULES.glob("*.md"))
        for rule in re.findall(r"^## ([A-Z]+-\d+)$", page.read_text("utf-8"), re.MULTILINE)
    }


def cited() -> Iterator[tuple[str, str]]:
    """Yield every id of a rule that code or tests cite, with the place; `A-1 to A-3` cites three."""
    for place, text in texts().items():
        for found in ID.finditer(text):
            prefix, first, last = found[1], int(found[2]), int(found[3] or found[2])
            if prefix not in OTHERS:
                yield from ((f"{prefix}-{number}", place) for number in range(first, last + 1))


def test_every_rule_that_is_cited_is_written_down() -> None:
    known = headings()
    assert [f"{place}: {rule}" for rule, place in cited() if rule not in known] == []


def test_a_rule_stands_on_one_page_once_and_the_index_names_its_page() -> None:
    index = (RULES / "index.md").read_text("utf-8")
    for page in sorted(RULES.glob("*.md")):
        found = re.findall(r"^## (\S+)$", page.read_text("utf-8"), re.MULTILINE)
        assert len(found) == len(set(found)), page.name
        prefixes = {rule.partition("-")[0] for rule in found}
        row = next((line for line in index.splitlines() if f"({page.name})" in line), "")
        named = set(row.partition("[")[0].strip(" |").split(", "))
        assert page.name == "index.md" or prefixes == named, page.name


def test_each_decision_has_a_number_of_its_own_and_a_row_in_the_index() -> None:
    pages = sorted(DECISIONS.glob("[0-9]*.md"))
    index = (DECISIONS / "index.md").read_text("utf-8")
    assert len({page.name[:4] for page in pages}) == len(pages)
    for page in pages:
        text = page.read_text("utf-8")
        assert text.startswith(f"# {int(page.name[:4])}. "), page.name
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert headings == ["Context", "Decision", "Measured", "Consequences"], page.name
        assert f"({page.name})" in index


def test_every_decision_that_is_cited_is_there() -> None:
    known = {int(page.name[:4]) for page in DECISIONS.glob("[0-9]*.md")}
    found = [
        (place, int(number)) for place, text in texts().items() for number in DECISION.findall(text)
    ]
    assert [place for place, number in found if number not in known] == []


def test_nothing_cites_a_document_that_is_not_in_the_repository() -> None:
    found = {place: GONE.findall(text) for place, text in texts().items() if GONE.search(text)}
    assert found == {}, "cite a rule of docs/rules, a decision, or nothing"


def test_contributing_names_files_that_are_there() -> None:
    named = re.findall(r"`([\w./]+/[\w./]*)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    there = [
        f"/{path.relative_to(ROOT)}"
        for folder in (*CODE, "clients", "docs", "plugins")
        for path in (ROOT / folder, *(ROOT / folder).rglob("*"))
    ]
    missing = [
        name
        for name in named
        if not name.startswith((".", "signet/_"))
        and not any(path.endswith(f"/{name.strip('/')}") for path in there)
    ]
    assert missing == []


@pytest.mark.parametrize(
    "page",
    [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        place = (page.parent / target).resolve()
        assert place.exists(), target
