"""No text that anybody can send makes recall fail (REC-3)."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recall.world import ask, found, remember
from signet.db import Database, fts
from signet.domain.recall import answer
from signet.domain.recall.models import Filters

HOSTILE = (
    "",
    " ",
    '"',
    '""""',
    "'",
    "*",
    "a*",
    "^a",
    "NEAR(a b, 2)",
    "AND",
    "OR NOT AND",
    "a AND (b OR",
    "content:secret",
    "{content hint} : x",
    "-a --b",
    "a; DROP TABLE memories",
    "a\x00b",
    "\x00",
    "\ud800 half",
    "😀",
    "👩‍👩‍👧 family",
    "我喜欢咖啡",
    "кофе",
    "قهوة",
    "हिन्दी",
    "ﬁ ligature İ",
    "‮reversed",
    "{near}",
    "%s %d {0}",
    "c++ c# .net",
    "..." * 1000,
    "(" * 5000,
    "word " * 50_000,
    "x" * 1_000_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_question_gets_an_answer(db: Database, text: str) -> None:
    db.write(remember, "a", "A secret of the family boat and coffee")
    result = ask(
        db, text, by_meaning=True, keyword_text=text, filters=Filters(who=text, tags=(text,))
    )
    assert found(result) == []
    assert ask(db, text, explain=True).degraded == ()
    json.dumps(answer.body(result), ensure_ascii=False).encode()


@pytest.mark.parametrize("text", ["我喜欢咖啡", "кофе", "قهوة", "हिन्दी", "ελληνικά", "日"])
def test_every_script_is_searched(db: Database, text: str) -> None:
    db.write(remember, "a", f"{text} and more", embedded=False)
    db.write(remember, "b", "nothing of the kind", embedded=False)
    assert found(ask(db, f"{text}?")) == ["a"]


def test_operators_are_words(db: Database) -> None:
    db.write(remember, "a", "The near miss", embedded=False)
    assert found(ask(db, "NEAR(miss, 3)")) == ["a"]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text())
def test_any_text_is_a_valid_expression(db: Database, text: str) -> None:
    terms = fts.content_words(text)
    if terms:
        for expression in (fts.any_of(terms), fts.all_of(terms)):
            db.read(
                lambda tx, match: tx.all(
                    "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?", (match,)
                ),
                expression,
            )
