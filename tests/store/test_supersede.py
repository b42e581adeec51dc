"""One memory replaces another: links, history, no rings, and back again when the replacement goes."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from signet import clock
from signet.db import Database, ReadTx
from signet.db.visibility import Reader
from signet.domain.extraction import corrections
from signet.domain.memory import history, lookup, remember
from signet.domain.memory.forget import forget, purge
from signet.domain.memory.models import Actor, NewMemory, Remembered, Rules
from signet.domain.memory.modify import is_current, supersede
from signet.errors import NotFound
from support.database import fresh_database

NOW = clock.now().replace(microsecond=0)
USER = Actor(name="nora")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(fresh_database(tmp_path / "memories.db"))
    yield database
    database.close()


def saved(db: Database, text: str, agent: str = "default", scope: str | None = None) -> str:
    new = NewMemory(content=text, agent_id=agent, scope=scope)
    return db.write(remember.remember, new, actor=USER, rules=Rules(), now=NOW).id


def replace(db: Database, *old: str, by: str, **more: Any) -> list[str]:
    return db.write(supersede, old, by=by, at=NOW, actor=USER, **more)


def links(db: Database, memory_id: str) -> tuple[object, ...]:
    sql = "SELECT superseded_by, valid_from, valid_to FROM memories WHERE id = ?"
    (row,) = db.read(ReadTx.all, sql, (memory_id,))
    return tuple(row)


def current(db: Database) -> set[str]:
    where = is_current()
    sql = f"SELECT m.id FROM memories m WHERE m.is_deleted = 0 AND {where.sql}"
    return {row[0] for row in db.read(ReadTx.all, sql, where.params)}


def test_the_old_ends_where_the_new_begins(db: Database) -> None:
    old, new = saved(db, "The port is 3850"), saved(db, "The port is 8080")
    begins = NOW - timedelta(days=3)
    assert replace(db, old, by=new, reason="corrected", valid_from=begins) == [old]
    assert links(db, old) == (new, None, clock.to_text(begins))
    assert links(db, new) == (None, clock.to_text(begins), None)
    change = db.read(history.changes_of, old, reader=Reader())[-1]
    assert (change["event"], change["changedBy"], change["reason"]) == (
        "updated",
        "nora",
        "corrected",
    )
    assert change["oldContent"] == change["newContent"] == "The port is 3850"
    assert isinstance(change["metadata"], dict)
    assert change["metadata"]["supersededBy"] == new
    assert change["metadata"]["contentChanged"] is False
    assert current(db) == {new}


def test_a_second_time_changes_nothing(db: Database) -> None:
    old, new = saved(db, "The port is 3850"), saved(db, "The port is 8080")
    assert replace(db, old, old, by=new) == [old]
    assert replace(db, old, by=new) == []
    assert len(db.read(history.changes_of, old, reader=Reader())) == 2


def test_nobody_replaces_himself_the_forgotten_the_unknown_or_what_belongs_to_others(
    db: Database,
) -> None:
    new = saved(db, "The port is 8080")
    gone = saved(db, "The port was open")
    db.write(forget, gone, actor=USER, reason="test", now=NOW)
    foreign, scoped = saved(db, "Port 1", "other"), saved(db, "Port 2", scope="lab")
    assert replace(db, new, gone, foreign, scoped, "nothing", by=new) == []
    with pytest.raises(NotFound):
        replace(db, new, by=gone)


def test_a_chain_never_closes_because_the_last_word_counts(db: Database) -> None:
    first, second, third = (saved(db, f"The port is {port}") for port in (1000, 2000, 3000))
    assert replace(db, first, by=second) == [first]
    assert replace(db, second, by=third) == [second]
    assert replace(db, third, by=first) == [third]
    assert links(db, first)[0] is None
    assert links(db, third)[0] == first
    assert links(db, second)[0] == third
    assert current(db) == {first}


def test_forgetting_the_new_brings_the_old_back_and_recovering_it_takes_it_away(
    db: Database,
) -> None:
    old, new = saved(db, "The port is 3850"), saved(db, "The port is 8080")
    replace(db, old, by=new)
    db.write(forget, new, actor=USER, reason="wrong", now=NOW)
    assert current(db) == {old}
    db.write(lambda tx: tx.run("UPDATE memories SET is_deleted = 0 WHERE id = ?", (new,)))
    assert current(db) == {new}


@pytest.mark.parametrize("purged", [False, True])
def test_what_lies_between_may_go(db: Database, purged: bool) -> None:
    first, second, third = (saved(db, f"The port is {port}") for port in (1000, 2000, 3000))
    replace(db, first, by=second)
    replace(db, second, by=third)
    db.write(forget, second, actor=USER, reason="tidy", now=NOW)
    if purged:
        db.write(purge, [second], now=NOW)
        assert links(db, first)[0] == third
    assert current(db) == {third}


def test_two_that_follow_each_other_may_go_at_once(db: Database) -> None:
    ids = [saved(db, f"The port is {port}") for port in (1000, 2000, 3000, 4000)]
    for old, new in pairwise(ids):
        replace(db, old, by=new)
    db.write(purge, ids[1:3], now=NOW)
    assert links(db, ids[0])[0] == ids[3]
    db.write(purge, ids[3:], now=NOW)
    assert links(db, ids[0])[0] is None


def test_what_was_forgotten_since_it_was_found_corrects_nothing(db: Database) -> None:
    first, second = saved(db, "The port is 3850"), saved(db, "The port is 8080")
    source = db.read(lookup.find, first)
    assert source is not None
    statements = corrections.statements(source, [], by_model=False)
    found = db.read(corrections.find, source, statements, least=0.5)
    assert [(one.memory_id, one.is_newer) for one in found] == [(second, False)]
    db.write(forget, second, actor=USER, reason="wrong", now=NOW)
    stands_for = {source.content: first}
    assert db.write(corrections.apply, source, found, stands_for, least=0.5, now=NOW) == []
    assert current(db) == {first}


def said(db: Database, text: str, **fields: Any) -> Remembered:
    new = NewMemory(content=text, **fields)
    return db.write(remember.remember, new, actor=USER, rules=Rules(), now=NOW)


def test_what_is_said_again_holds_again_and_replaces_what_came_since(db: Database) -> None:
    paris, berlin = saved(db, "Ana lives in Paris"), saved(db, "Ana lives in Berlin")
    rome = saved(db, "Ana lives in Rome")
    replace(db, paris, by=berlin)
    replace(db, berlin, by=rome)
    assert current(db) == {rome}
    again = said(db, "ana lives in  Paris.")
    assert (again.id, again.deduped, again.superseded) == (paris, True, (rome,))
    assert current(db) == {paris}
    assert links(db, rome)[0] == paris and links(db, paris)[0] is None
    assert said(db, "Ana lives in Paris").superseded == ()
    reasons = [one["reason"] for one in db.read(history.changes_of, paris, reader=Reader())]
    assert "said again" in reasons


def test_a_request_that_comes_twice_and_what_was_said_before_change_nothing(db: Database) -> None:
    paris = said(db, "Ana lives in Paris", idempotency_key="k").id
    berlin = saved(db, "Ana lives in Berlin")
    replace(db, paris, by=berlin)
    assert said(db, "Ana lives in Paris", idempotency_key="k").superseded == ()
    before = NOW - timedelta(days=1)
    assert said(db, "Ana lives in Paris", created_at=before).superseded == ()
    assert current(db) == {berlin}
    db.write(forget, berlin, actor=USER, reason="wrong", now=NOW)
    assert said(db, "Ana lives in Paris").superseded == ()
    assert current(db) == {paris}
