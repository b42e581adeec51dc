"""What was believed then: rows of that time, with their text of that time."""

from datetime import timedelta

from recall.world import NOW, ask, found, remember
from signet import clock
from signet.db import Database, WriteTx
from signet.domain.memory import history
from signet.domain.memory.models import Actor, Event
from signet.domain.memory.modify import supersede

USER = Actor(name="nora")


def days_ago(days: float) -> str:
    return clock.to_text(NOW - timedelta(days=days))


def test_what_came_later_was_not_known(db: Database) -> None:
    def write(tx: WriteTx) -> None:
        remember(tx, "early", "The boat is red", days_ago=10)
        remember(tx, "late", "The boat is green", days_ago=2)

    db.write(write)
    assert found(ask(db, "boat", as_of=NOW - timedelta(days=5))) == ["early"]
    assert found(ask(db, "boat", as_of=NOW - timedelta(days=20))) == []
    assert set(found(ask(db, "boat", as_of=NOW))) == {"early", "late"}


def test_what_was_forgotten_since_was_known(db: Database) -> None:
    def write(tx: WriteTx) -> None:
        remember(tx, "gone", "The boat is red", days_ago=10, is_deleted=1, deleted_at=days_ago(3))

    db.write(write)
    assert found(ask(db, "boat")) == []
    assert found(ask(db, "boat", as_of=NOW - timedelta(days=5))) == ["gone"]
    assert found(ask(db, "boat", as_of=NOW - timedelta(days=2))) == []


def test_a_text_is_shown_as_it_was(db: Database) -> None:
    def write(tx: WriteTx) -> None:
        remember(tx, "boat", "The boat is blue", days_ago=10)
        for days, old, new in (
            (6, "The boat is red", "The boat is green"),
            (5, "The boat is green", "The boat is green"),
            (2, "The boat is green", "The boat is blue"),
        ):
            at = NOW - timedelta(days=days)
            history.record(tx, "boat", Event.UPDATED, actor=USER, at=at, old=old, new=new)

    db.write(write)

    def text(days: float) -> str:
        (hit,) = ask(db, "boat", as_of=NOW - timedelta(days=days)).hits
        return hit.content

    assert [text(days) for days in (8, 4, 1)] == [
        "The boat is red",
        "The boat is green",
        "The boat is blue",
    ]


def test_what_was_superseded_since_was_current(db: Database) -> None:
    def write(tx: WriteTx) -> None:
        remember(tx, "old", "The boat port is one", days_ago=10)
        remember(tx, "new", "The boat port is two", days_ago=3)
        at = NOW - timedelta(days=3)
        supersede(tx, ["old"], by="new", at=at, actor=USER)

    db.write(write)
    (then,) = ask(db, "boat port", as_of=NOW - timedelta(days=5)).hits
    assert (then.id, then.superseded_by, then.valid_to) == ("old", None, days_ago(3))
    after = ask(db, "boat port", as_of=NOW - timedelta(days=1))
    assert [(hit.id, hit.superseded_by) for hit in after.hits] == [("new", None), ("old", "new")]
