"""What recall answers when something is missing."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from recall.world import NOW, ask, found, remember
from signet.db import Database, WriteTx
from signet.db.driver import connect
from signet.domain.memory import marks
from signet.domain.recall import answer
from signet.domain.recall.recall import touched
from signet.errors import StorageBusy

GRAPH = (
    "entities_fts",
    "entities",
    "memory_entity_mentions",
    "entity_aspects",
    "entity_attributes",
    "entity_dependencies",
    "entity_pinning",
    "relations",
)


def _drop(tx: WriteTx, tables: Sequence[str]) -> None:
    for table in tables:
        tx.run(f"DROP TABLE IF EXISTS {table}")


def _two(db: Database) -> None:
    db.write(remember, "a", "The boat is blue")
    db.write(remember, "b", "The kettle is on")


@pytest.mark.sqlite_file
def test_without_the_word_index_meaning_still_finds(db: Database) -> None:
    _two(db)
    db.write(_drop, ["memories_fts"])
    result = ask(db, "boat", by_meaning=True)
    assert found(result) == ["a"]
    assert result.method == "hybrid"
    assert "keyword" in result.degraded


def test_without_the_vector_index_the_vectors_are_compared(db: Database) -> None:
    _two(db)
    whole = ask(db, "vessel", by_meaning=True)
    db.write(_drop, ["vec_embeddings"])
    bare = ask(db, "vessel", by_meaning=True)
    assert found(bare) == found(whole) == ["a"]
    assert bare.hits[0].score == pytest.approx(whole.hits[0].score, abs=1e-5)


def test_without_vector_tables_words_still_find(db: Database) -> None:
    _two(db)
    db.write(_drop, ["vec_embeddings", "embeddings"])
    result = ask(db, "boat", by_meaning=True)
    assert (found(result), result.method) == (["a"], "keyword")
    assert "vector" in result.degraded


@pytest.mark.sqlite_file
def test_without_graph_tables_recall_is_flat(db: Database) -> None:
    _two(db)
    whole = ask(db, "boat", by_meaning=True)
    db.write(_drop, GRAPH)
    result = ask(db, "boat", by_meaning=True, entities=True, cards=True)
    assert found(result) == found(whole)
    assert "graph" in result.degraded


@pytest.mark.sqlite_file
def test_without_hints_there_are_no_hints(db: Database) -> None:
    _two(db)
    db.write(_drop, ["memory_hints_fts", "memory_hints"])
    assert found(ask(db, "boat")) == ["a"]


@pytest.mark.sqlite_file
def test_without_anything_the_answer_is_empty(db: Database) -> None:
    _two(db)
    tables = ("memories_fts", "memory_hints_fts", "vec_embeddings", "embeddings", "memories")
    db.write(_drop, [*GRAPH, *tables])
    body = answer.body(ask(db, "boat", by_meaning=True))
    assert body["results"] == []
    assert body["method"] == "keyword"


def test_an_empty_store_answers_with_nothing(db: Database) -> None:
    assert found(ask(db, "boat", by_meaning=True)) == []


@pytest.mark.sqlite_file
def test_a_held_write_lock_changes_no_answer_and_only_the_counting_fails(
    db: Database, tmp_path: Path
) -> None:
    _two(db)
    free = ask(db, "boat")
    counting = Database(tmp_path / "memories.db", wait_seconds=0.05)
    other = connect(tmp_path / "memories.db")
    other.execute("BEGIN IMMEDIATE")
    try:
        locked = ask(db, "boat")
        assert found(locked) == found(free)
        with pytest.raises(StorageBusy):
            counting.write(marks.count_use, touched(locked), now=NOW)
    finally:
        other.execute("ROLLBACK")
        other.close()
        counting.close()


def test_a_use_is_counted_once_for_each_returned_memory(db: Database) -> None:
    _two(db)
    result = ask(db, "boat")
    db.write(marks.count_use, touched(result), now=NOW)
    rows = db.read(
        lambda tx: tx.all("SELECT id, access_count, last_accessed FROM memories ORDER BY id")
    )
    assert [tuple(row) for row in rows] == [
        ("a", 1, "2026-03-01T12:00:00.000Z"),
        ("b", 0, None),
    ]


@pytest.mark.sqlite_file
def test_counting_a_use_does_not_touch_the_word_index(db: Database) -> None:
    _two(db)
    changes = "SELECT count(*) FROM memories_fts_data"
    before = db.read(lambda tx: tx.value(changes))
    for _ in range(20):
        db.write(marks.count_use, ["a", "b"], now=NOW)
    assert db.read(lambda tx: tx.value(changes)) == before


def test_many_readers_at_once_get_the_same_answer(db: Database) -> None:
    _two(db)
    answers: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(found(ask(db, "boat", by_meaning=True))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [["a"]] * 8
