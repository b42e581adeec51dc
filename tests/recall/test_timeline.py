"""A question about a time alone is answered with what there is of that time, newest first."""

from datetime import UTC

import pytest

from recall.test_episodes import LEDGER, OWN, say
from recall.world import ask, found, remember
from signet import clock
from signet.db import Database, WriteTx
from signet.domain.episodes.models import SourceType
from signet.domain.recall.account import OTHER_TIME
from signet.domain.transcripts import withheld


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
        ("wat heb ik gisteren gedaan", ["late", "commit", "note", "early"]),
        ("hier j'ai fait quoi", ["late", "commit", "note", "early"]),
        ("what got done yesterday", ["late", "commit", "note", "early"]),
        ("recap of yesterday", ["late", "commit", "note", "early"]),
        ("summary of yesterday pls", ["late", "commit", "note", "early"]),
        ("list everything from yesterday", ["late", "commit", "note", "early"]),
        ("where did we leave off yesterday", ["late", "commit", "note", "early"]),
        ("gisteren nog iets aan crane gedaan?", ["commit"]),
        # The session of yesterday says the same as today's.
        ("what's new since yesterday", ["today", "commit", "note", "early"]),
        ("what did we settle in crane yesterday", ["commit"]),
        ("cosa ho fatto ieri", ["late", "commit", "note", "early"]),
        ("o que fiz ontem", ["late", "commit", "note", "early"]),
        ("co robiłam wczoraj", ["late", "commit", "note", "early"]),
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


def test_a_session_stands_for_the_facts_that_were_read_from_it(
    db: Database, days: dict[str, str]
) -> None:
    def distil(tx: WriteTx) -> None:
        text = "The fence gets green paint."
        remember(tx, "fact", text, source_type="session_end", source_id="s1", days_ago=1.2)

    db.write(distil)
    answer = ask(db, "what did I do yesterday", reader=OWN, zone=UTC)
    assert found(answer) == [days[name] for name in ("late", "commit", "note", "early")]


@pytest.mark.parametrize("question", ["what is red", "who painted the fence yesterday evening"])
def test_other_questions_are_answered_by_relevance(
    db: Database, days: dict[str, str], question: str
) -> None:
    assert ask(db, question, reader=OWN, zone=UTC).method == "keyword"


def test_a_day_without_anything_is_answered_by_relevance(
    db: Database, days: dict[str, str]
) -> None:
    assert ask(db, "what did I do on 3 May 2019", reader=OWN, zone=UTC).method == "keyword"


def test_nothing_of_a_day_leaves_the_words_of_the_question_as_they_are(db: Database) -> None:
    db.write(remember, "old", "Work on the ledger goes on every day", days_ago=40.0)
    answer = ask(db, "what work did I do yesterday on the ledger", reader=OWN, zone=UTC)
    assert (found(answer), answer.method) == (["old"], "keyword")


def test_a_forgotten_statement_of_the_day_is_not_told(db: Database) -> None:
    secret = "The crane's spare key lies under the third brick."

    def store(tx: WriteTx) -> None:
        text = f"The crane is red. {secret} The fence is green."
        remember(tx, "page", text, type="document_chunk")
        withheld.withhold(tx, "gone", "default", secret, at=clock.now())

    db.write(store)
    [hit] = ask(db, "what happened yesterday", reader=OWN, zone=UTC).hits
    assert "crane is red" in hit.content
    assert "brick" not in hit.content


def test_what_was_corrected_that_day_is_marked_and_stands_below(db: Database) -> None:
    db.write(remember, "new", "The crane is blue.", days_ago=1.1)
    db.write(remember, "old", "The crane is red.", days_ago=1.2, superseded_by="new")
    answer = ask(db, "what happened yesterday", reader=OWN, zone=UTC)
    assert [(hit.id, hit.superseded_by) for hit in answer.hits] == [("new", None), ("old", "new")]


def test_a_text_in_pieces_stands_there_once(db: Database) -> None:
    def store(tx: WriteTx) -> None:
        for n in range(3):
            text = f"Chapter {n} tells of cranes."
            remember(tx, f"p{n}", text, source_type="chunk", source_id="book", ordinal=n)

    db.write(store)
    [hit] = ask(db, "what happened yesterday", reader=OWN, zone=UTC).hits
    assert len(hit.parts) == 2


def test_the_time_is_the_reason_and_other_memories_are_of_another_time(
    db: Database, days: dict[str, str]
) -> None:
    answer = ask(db, "what did I do yesterday", reader=OWN, zone=UTC, explain=True, why_not="old")
    assert {hit.why.steps[0].stage for hit in answer.hits if hit.why} == {"time"}
    assert answer.account is not None
    assert answer.why_not is not None
    assert answer.why_not.left_out == OTHER_TIME


def test_a_project_is_found_behind_many_memories_of_others(db: Database) -> None:
    db.write(remember, "mine", "The crane is red.", project="/work/crane", days_ago=1.4)
    for n in range(12):
        db.write(remember, f"m{n}", f"Heron {n} stands.", project="/work/reeds", days_ago=1.1)
    answer = ask(db, "what happened in crane yesterday", reader=OWN, zone=UTC)
    assert (found(answer), answer.method) == (["mine"], "timeline")
