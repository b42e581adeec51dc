"""A question about a time alone is answered with what there is of that time, newest first."""

from datetime import UTC

import pytest

from recall.test_episodes import LEDGER, OWN, say
from recall.world import ask, found, remember
from signet.db import Database
from signet.domain.episodes.models import SourceType


@pytest.fixture
def days(db: Database) -> dict[str, str]:
    """Fill a store around 1 March 2026, and return the IDs of what it holds."""
    db.write(remember, "old", "Work on the ledger goes on every yesterday", days_ago=40.0)
    db.write(remember, "note", "The crane is red", days_ago=1.2)
    return {
        "today": say(db, "s3", LEDGER.replace("23:40", "21:00"), at="2026-03-01T08:00:00Z"),
        "late": say(db, "s2", LEDGER, at="2026-02-28T17:00:00Z"),
        "early": say(db, "s1", "User: Paint the fence green.", at="2026-02-28T06:00:00Z"),
        "commit": say(
            db,
            "c" * 40,
            "Freeze the ledger",
            type=SourceType.COMMIT,
            project="/work/crane",
            at="2026-02-28T16:00:00Z",
        ),
        "note": "note",
    }


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what did I do yesterday", ["late", "commit", "note", "early"]),
        ("What did we work on yesterday?", ["late", "commit", "note", "early"]),
        ("was habe ich gestern gemacht", ["late", "commit", "note", "early"]),
        ("which commits did I make yesterday", ["commit"]),
        ("sessions yesterday", ["late", "early"]),
        ("what happened in crane yesterday", ["commit"]),
        ("what did I do today", ["today"]),
    ],
)
def test_a_question_about_a_day_lists_what_there_is_of_it(
    db: Database, days: dict[str, str], question: str, names: list[str]
) -> None:
    answer = ask(db, question, reader=OWN, zone=UTC)
    assert (found(answer), answer.method) == ([days[name] for name in names], "timeline")


@pytest.mark.parametrize("question", ["what is red", "who painted the fence yesterday evening"])
def test_other_questions_are_answered_by_relevance(
    db: Database, days: dict[str, str], question: str
) -> None:
    assert ask(db, question, reader=OWN, zone=UTC).method == "keyword"


def test_a_day_without_anything_is_answered_by_relevance(
    db: Database, days: dict[str, str]
) -> None:
    assert ask(db, "what did I do on 3 May 2019", reader=OWN, zone=UTC).method == "keyword"
