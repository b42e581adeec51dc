"""What replaced something stands before it, at once and always; the old one is still found and says so."""

from datetime import timedelta

import pytest

from recall.world import NOW, ask, found, remember
from signet import clock
from signet.db import Database, WriteTx
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.memory.models import Actor
from signet.domain.memory.modify import supersede

USER = Actor(name="nora")


def fill(db: Database, *pairs: tuple[str, str]) -> None:
    def write(tx: WriteTx) -> None:
        for number, (memory_id, text) in enumerate(pairs):
            remember(tx, memory_id, text, days_ago=50 - number)

    db.write(write)


def replace(db: Database, old: str, by: str) -> None:
    assert db.write(supersede, [old], by=by, at=NOW, actor=USER) == [old]


@pytest.mark.parametrize("by_meaning", [False, True])
def test_the_new_stands_before_the_old_however_much_better_that_matches(
    db: Database, by_meaning: bool
) -> None:
    fill(
        db,
        ("old", "The harbour boat of Nora sleeps in Hamburg harbour"),
        ("new", "She keeps it in Kiel"),
        ("other", "A boat in Hamburg"),
    )
    question = "Where does the harbour boat of Nora sleep in Hamburg harbour?"
    assert found(ask(db, question, by_meaning=by_meaning))[0] == "old"
    replace(db, "old", "new")
    asked = ask(db, question, by_meaning=by_meaning)
    assert found(asked)[0] == "new"
    (old,) = [hit for hit in asked.hits if hit.id == "old"]
    assert old.superseded_by == "new"
    assert old.valid_to == clock.to_text(NOW)
    assert asked.hits[0].valid_from == clock.to_text(NOW)
    assert asked.hits[0].superseded_by is None


def test_the_last_of_a_chain_stands_first(db: Database) -> None:
    fill(db, ("a", "The boat port is one"), ("b", "The boat port is two"), ("c", "It is three"))
    replace(db, "a", "b")
    replace(db, "b", "c")
    assert found(ask(db, "What is the boat port?")) == ["c", "b", "a"]


def test_the_old_is_current_again_when_the_new_is_forgotten(db: Database) -> None:
    fill(db, ("old", "The boat port is one"), ("new", "The boat port is two"))
    replace(db, "old", "new")
    db.write(lambda tx: tx.run("UPDATE memories SET is_deleted = 1 WHERE id = 'new'"))
    (hit,) = ask(db, "boat port").hits
    assert (hit.id, hit.superseded_by, hit.valid_to) == ("old", None, None)


def test_who_may_not_read_the_correction_still_has_the_old(db: Database) -> None:
    fill(db, ("old", "The boat port is one"), ("new", "The boat port is two"))
    replace(db, "old", "new")
    db.write(lambda tx: tx.run("UPDATE memories SET visibility = 'private' WHERE id = 'new'"))
    stranger = Reader(agent_id="stranger", policy=ReadPolicy.SHARED)
    (hit,) = ask(db, "boat port", reader=stranger).hits
    assert (hit.id, hit.superseded_by) == ("old", None)
    assert found(ask(db, "boat port")) == ["new", "old"]


def test_a_ring_from_elsewhere_ends(db: Database) -> None:
    fill(db, ("a", "The boat port is one"), ("b", "The boat port is two"))

    def ring(tx: WriteTx) -> None:
        tx.run("UPDATE memories SET superseded_by = 'b', valid_to = 'x' WHERE id = 'a'")
        tx.run("UPDATE memories SET superseded_by = 'a' WHERE id = 'b'")

    db.write(ring)
    assert set(found(ask(db, "boat port"))) == {"a", "b"}
    assert set(found(ask(db, "boat port", as_of=NOW - timedelta(days=1)))) == {"a", "b"}
