"""Whoever changes memories tells the owners of other rows, in the same transaction."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signet.db import Database, WriteTx
from signet.domain import memory_followers
from signet.domain.memory import derived, forget, lookup, remember, review
from signet.domain.memory.derived import ChangeKind, MemoryEvent
from signet.domain.memory.models import Actor, NewMemory, Recover, Rules
from support.database import fresh_database

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ACTOR = Actor()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A new database."""
    db = Database(fresh_database(tmp_path / "memories.db"))
    yield db
    db.close()


@pytest.fixture
def seen() -> Iterator[list[tuple[ChangeKind, list[str], bool]]]:
    """What was published, with whether the row was still there."""
    seen: list[tuple[ChangeKind, list[str], bool]] = []

    def follow(tx: WriteTx, event: MemoryEvent) -> None:
        ids = list(event.memory_ids)
        seen.append((event.kind, ids, lookup.find(tx, ids[0]) is not None))

    derived.register([follow])
    yield seen
    memory_followers.register()


def test_each_change_is_published_while_the_rows_are_there(
    db: Database, seen: list[tuple[ChangeKind, list[str], bool]]
) -> None:
    def save(text: str) -> str:
        new = NewMemory(content=text)
        return db.write(remember.remember, new, actor=ACTOR, rules=Rules(), now=NOW).id

    first, second = save("The gate is shut."), save("The bell rings.")
    db.write(forget.forget, first, actor=ACTOR, reason="test", now=NOW)
    asked = Recover(memory_id=first, reason="test")
    db.write(review.recover, asked, actor=ACTOR, rules=Rules(), now=NOW)
    db.write(forget.forget, first, actor=ACTOR, reason="test", now=NOW)
    db.write(forget.purge, [first], now=NOW)
    memory = db.read(lookup.find, second)
    assert memory is not None
    db.write(forget.erase, memory, actor=ACTOR, reason="test", now=NOW)
    assert seen == [
        (ChangeKind.FORGOTTEN, [first], True),
        (ChangeKind.RECOVERED, [first], True),
        (ChangeKind.FORGOTTEN, [first], True),
        (ChangeKind.PURGED, [first], True),
        (ChangeKind.ERASED, [second], True),
    ]


def test_a_purge_of_nothing_is_not_published(db: Database) -> None:
    def maps(tx: WriteTx) -> int:
        return int(tx.value("SELECT count(*) FROM umap_cache"))

    def keep(tx: WriteTx) -> None:
        tx.run(
            "INSERT INTO umap_cache (id, dimensions, embedding_count, result_json, cached_at)"
            " VALUES (1, 2, 0, '{}', '2026-03-01T12:00:00.000Z')"
        )

    db.write(keep)
    assert db.write(forget.purge, [], now=NOW) == 0
    assert db.write(maps) == 1


def test_nothing_is_forgotten_where_nobody_follows(db: Database) -> None:
    new = NewMemory(content="The gate is shut.")
    saved = db.write(remember.remember, new, actor=ACTOR, rules=Rules(), now=NOW)
    derived.register([])
    try:
        with pytest.raises(RuntimeError):
            db.write(forget.forget, saved.id, actor=ACTOR, reason="test", now=NOW)
    finally:
        memory_followers.register()
    found = db.read(lookup.find, saved.id)
    assert found is not None and not found.is_deleted
