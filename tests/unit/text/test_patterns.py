"""Every regular expression that can see a person's text takes time in proportion to it."""

import re
import time
from typing import Any

import pytest

from signet.domain.connectors.sync import matches
from signet.domain.documents.readers.files import Raw
from signet.domain.documents.readers.html import read as read_html
from signet.domain.extraction import rules
from signet.domain.graph import claims
from signet.domain.harnesses import codex
from support.growth import is_steep, repeated
from support.patterns import Found, attacks, collected

#: Patterns that see only short texts, and what keeps these short; `test_doors` drives them.
BOUNDED = {
    "signet.domain.extraction.rules": "sentences of at most 1,000 characters, single blanks between words",
    "signet.domain.graph.claims": "at most 200 characters, single blanks between words",
    "signet.domain.graph.names": "words, and lines of one memory",
    "signet.domain.episodes.overview": "messages of at most 3,000 characters",
    "signet.db.migrate": "the SQL of our own schema",
    "signet.db.postgres.": "the SQL of our own schema and statements",
    "signet.config.": "settings that the person wrote",
    "signet.domain.memory.dates": "at most 200 characters around a date",
}
#: Characters of the longest text; growth is judged from a quarter of it. Quadratic work grows sixteenfold.
SHORT, CHARS, MOST = (16, 24, 32, 48, 96), 1_024, 8
#: Seconds in which nothing needs a second look.
NOTHING = 0.0004


def took(one: Found, head: str, piece: str, chars: int) -> float:
    """Return the processor time of a pattern on a hostile text that it does not match as a whole."""
    text: Any = head + repeated(piece)(chars) + "\0"
    text = text if isinstance(one.pattern.pattern, str) else text.encode("utf-8", "replace")
    began = time.process_time()
    for method in one.methods:
        found = getattr(one.pattern, method)(text)
        if method == "finditer":
            sum(1 for _ in found)
    return time.process_time() - began


def steep(one: Found) -> tuple[str, str] | None:
    """Return the text on which a pattern takes too long, None for a linear one."""
    for head, piece in attacks(one.pattern):
        for chars in SHORT:  # exponential time shows here, and would never end below
            if took(one, head, piece, chars) > 10 * NOTHING:
                small = min(took(one, head, piece, chars) for _ in range(3))
                if small > 10 * NOTHING:
                    return head, piece
        # On a busy machine, a first pair of times may be wrong.
        is_slow = took(one, head, piece, CHARS) > NOTHING
        if is_slow and all(grows(one, head, piece) for _ in range(3)):
            return head, piece
    return None


def grows(one: Found, head: str, piece: str) -> bool:
    """Return whether four times the text takes far more than four times as long."""
    small = min(took(one, head, piece, CHARS) for _ in range(3))
    large = min(took(one, head, piece, 4 * CHARS) for _ in range(2))
    return large > max(NOTHING, MOST * small)


def test_no_pattern_is_steep() -> None:
    found = [one for one in collected() if not one.where.startswith(tuple(BOUNDED))]
    assert len(found) > 250
    assert {one.where: text for one in found if (text := steep(one))} == {}


@pytest.mark.parametrize(
    "source", [r"\s*x$", r"(a|aa)*b", r"<!--.*?-->", r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*\["]
)
def test_a_steep_pattern_is_found(source: str) -> None:
    assert steep(Found("here", re.compile(source, re.S), frozenset({"finditer"}))) is not None
    assert steep(Found("here", re.compile(r"\w+ x"), frozenset({"match"}))) is None


PIECES = (
    " ", "\n", "\t", "!", "<!--", "[", "[](", "`", "```", "a, ", ", because ", " and I ", "so ", "and we use b ",
    "Run `x` before x ", "x x x: ", "?! ", "always ", "I use ", "| ", "# ", "(", "...", "User: a\n", "{", "x = y ",
)  # fmt: skip


@pytest.mark.parametrize("head", ["", "We decided to use Kafka "])
@pytest.mark.parametrize("piece", PIECES)
def test_extraction_takes_time_in_proportion_to_a_text(piece: str, head: str) -> None:
    make = repeated(piece)
    assert not is_steep(rules.extract, lambda chars: head + make(chars), 1_000)
    assert not is_steep(claims.parse, make, 2_000)


@pytest.mark.parametrize("piece", ["\t", "\n", "<", "<a ", "<!--", "<p>", "&", " \n", "<li>"])
def test_reading_a_page_takes_time_in_proportion_to_it(piece: str) -> None:
    def page(text: str) -> object:
        return read_html(
            Raw(data=f"<html><pre>a{text}b".encode(), content_type="text/html; charset=utf-8")
        )

    assert not is_steep(page, repeated(piece), 8_000)


@pytest.mark.parametrize(
    "glob", ["*a" * 30 + "b", "**a" * 8 + "b", "[" * 1_000, "*[ab]?" * 30 + "/"]
)
def test_a_glob_is_matched_at_once(glob: str) -> None:
    assert not is_steep(lambda path: matches(path, glob), repeated("a"), 500)
    assert not matches("a" * 4_000, glob)


def test_comments_in_toml_with_windows_line_ends_are_read_once() -> None:
    text = "[mcp_servers.signet]\r\ncommand = 'x'\r\n" + "# note\r\n" * 300
    assert codex.drop_table(text, "mcp_servers", "signet") == ""
