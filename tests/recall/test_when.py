"""Time in questions: softly preferred, never a filter, and told to who asks."""

from datetime import UTC, datetime, timedelta

from recall.world import NOW, ask, found, remember
from signet import clock
from signet.db import Database, WriteTx

ZONE = UTC


def at(days_ago: float) -> str:
    return clock.to_text(NOW - timedelta(days=days_ago))


def fill(db: Database) -> None:
    def write(tx: WriteTx) -> None:
        remember(tx, "now", "The boat needs paint", days_ago=1)
        remember(tx, "then", "The boat needs tar", days_ago=40)
        remember(tx, "told", "The boat got a sail", days_ago=2, event_at=at(40))

    db.write(write)


def test_memories_of_the_time_stand_first_and_the_others_stay(db: Database) -> None:
    fill(db)
    assert found(ask(db, "boat needs yesterday", zone=ZONE))[0] == "now"
    month = (NOW - timedelta(days=40)).strftime("%B %Y")
    named = found(ask(db, f"What did the boat need in {month}?", zone=ZONE))
    assert named[0] in ("then", "told")
    assert set(named) == {"now", "then", "told"}


def test_of_the_same_words_those_of_the_time_are_more_relevant(db: Database) -> None:
    fill(db)
    month = (NOW - timedelta(days=40)).strftime("%B %Y")
    for question, more in ((f"What did the boat need in {month}?", True), ("boat need", False)):
        hits = ask(db, question, zone=ZONE, explain=True).hits
        relevance = {hit.id: hit.why.relevance or 0.0 for hit in hits if hit.why}
        assert (relevance["then"] > relevance["now"]) is more


def test_yesterday_is_measured_from_when_the_question_was_asked(db: Database) -> None:
    fill(db)
    asked = ask(db, "boat needs yesterday", zone=ZONE, now=NOW - timedelta(days=39))
    assert found(asked)[0] == "then"


def test_a_question_about_a_day_alone_brings_that_day(db: Database) -> None:
    def write(tx: WriteTx) -> None:
        remember(tx, "cake", "Nora baked a cake", days_ago=1)
        remember(tx, "tea", "Tom drank tea", days_ago=30)

    db.write(write)
    assert found(ask(db, "What happened yesterday?", zone=ZONE))[0] == "cake"
    asked = ask(db, "What did we do yesterday?", zone=ZONE, by_meaning=True)
    assert found(asked)[0] == "cake"


def test_an_event_stands_for_its_date(db: Database) -> None:
    def write(tx: WriteTx) -> None:
        remember(tx, "release", "The release of 2.0 went out", days_ago=20, event_at=at(20))
        remember(tx, "early", "We repaired the parser of dates", days_ago=50)
        remember(tx, "late", "We repaired the parser of times", days_ago=2)
        for number in range(8):
            remember(tx, f"filler {number}", f"Note {number} about cats", days_ago=30)

    db.write(write)
    before = ask(db, "What did we repair before the release of 2.0?", zone=ZONE, explain=True)
    assert found(before).index("early") < found(before).index("late")
    after = ask(db, "What did we repair after the release of 2.0?", zone=ZONE)
    assert found(after).index("late") < found(after).index("early")
    assert before.time == {
        "intervals": [{"from": None, "to": at(20)}],
        "anchor": "the release of 2.0",
        "relation": "before",
    }


def test_it_is_explained_what_was_understood_and_what_it_did(db: Database) -> None:
    fill(db)
    asked = ask(db, "boat yesterday", zone=ZONE, explain=True)
    assert asked.time == {
        "intervals": [
            {
                "from": clock.to_text(datetime(2026, 2, 28, tzinfo=UTC)),
                "to": clock.to_text(datetime(2026, 3, 1, tzinfo=UTC)),
            }
        ]
    }
    first = next(hit for hit in asked.hits if hit.id == "now")
    assert first.why is not None
    assert "time" in [step.stage for step in first.why.steps]
    assert ask(db, "boat", explain=True).time is None
    assert ask(db, "boat yesterday").time is None


def test_without_indexes_and_history_the_answer_is_there(db: Database) -> None:
    fill(db)

    def drop(tx: WriteTx) -> None:
        tx.run("DROP TABLE memory_history")
        tx.run("DROP INDEX idx_memories_event")

    db.write(drop)
    assert "now" in found(ask(db, "boat needs yesterday", zone=ZONE))
    assert set(found(ask(db, "boat", as_of=NOW))) == {"now", "then", "told"}
