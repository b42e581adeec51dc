"""The vector index and the comparison without it give the same answer."""

import random
from pathlib import Path

import pytest

from recall.world import NOW, a_store
from signet.db import Database, ReadTx, WriteTx, vectors
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.vectors import REST

WIDTH = 12


def _random(seed: int) -> bytes:
    chance = random.Random(seed)
    return vectors.pack(chance.uniform(-1, 1) for _ in range(WIDTH))


def _fill(tx: WriteTx, count: int = 300) -> None:
    for number in range(count):
        embeddings.replace(tx, f"m{number}", "h", [("text", _random(number))], "toy", NOW)


def _drop_index(tx: WriteTx) -> None:
    tx.run("DROP TABLE vec_embeddings")


def _rows(tx: ReadTx, table: str) -> set[str]:
    return {row[0] for row in tx.all(f"SELECT id FROM {table}")}


def test_binary_index_numbers_come_back() -> None:
    assert vectors.unpack(vectors.pack([0.5, -2.0, 0.0])) == [0.5, -2.0, 0.0]
    assert vectors.dimensions(vectors.pack([1.0, 2.0])) == 2


def test_cosine_divides_by_the_norms_and_is_never_negative() -> None:
    one = vectors.pack([3.0, 0.0])
    others = [
        vectors.pack(v) for v in ([5.0, 0.0], [0.0, 2.0], [-1.0, 0.0], [0.0, 0.0], [1.0, 1.0])
    ]
    assert vectors.cosines(one, others) == pytest.approx([1.0, 0.0, 0.0, 0.0, 0.5**0.5], abs=1e-6)


def test_the_index_and_the_comparison_agree(db: Database) -> None:
    if not db.has_vec:
        pytest.skip("sqlite-vec cannot be loaded here")
    db.write(_fill)
    assert db.read(vectors.indexed_dimensions) == WIDTH
    questions = [_random(10_000 + number) for number in range(5)]
    fast = [db.read(vectors.knn, question, 20) for question in questions]
    db.write(_drop_index)
    assert db.read(vectors.indexed_dimensions) is None
    exact = [db.read(vectors.knn, question, 20) for question in questions]
    for one, other in zip(fast, exact, strict=True):
        assert [id_ for id_, _ in one] == [id_ for id_, _ in other]
        assert [s for _, s in one] == pytest.approx([s for _, s in other], abs=1e-5)


def test_fewer_vectors_than_asked_for_come_back_all(db: Database) -> None:
    db.write(_fill, 7)
    assert len(db.read(vectors.knn, _random(1), 50)) == 7
    assert db.read(vectors.knn, _random(1), 0) == []


def test_a_question_of_another_width_finds_nothing_and_does_not_fail(db: Database) -> None:
    db.write(_fill, 7)
    assert db.read(vectors.knn, vectors.pack([1.0, 2.0]), 5) == []


def test_a_new_width_makes_a_new_index_of_the_vectors_that_have_it(db: Database) -> None:
    if not db.has_vec:
        pytest.skip("sqlite-vec cannot be loaded here")
    db.write(_fill, 5)
    wide = vectors.pack([1.0, 0.0, 0.0])
    db.write(embeddings.replace, "wide", "h", [("text", wide)], "toy", NOW)
    assert len(db.read(vectors.knn, wide, 5)) == 1, "compared, though the index is of another width"
    assert db.write(vectors.ensure, 3) is True
    assert db.write(vectors.ensure, 3) is False
    assert db.read(vectors.indexed_dimensions) == 3
    assert len(db.read(_rows, "vec_embeddings")) == 1
    assert db.write(vectors.ensure, WIDTH) is True
    assert len(db.read(_rows, "vec_embeddings")) == 5


def test_both_tables_hold_the_same_ids_after_every_change(db: Database) -> None:
    if not db.has_vec:
        pytest.skip("sqlite-vec cannot be loaded here")
    pairs = [("one", _random(1)), ("two", _random(2)), ("three", _random(3))]
    db.write(embeddings.replace, "a", "h1", pairs, "toy", NOW)
    db.write(embeddings.replace, "b", "h2", pairs[:1], "toy", NOW)
    assert db.read(_rows, "embeddings") == db.read(_rows, "vec_embeddings")
    db.write(embeddings.replace, "a", "h3", pairs[1:], "toy", NOW)
    assert db.read(_rows, "embeddings") == db.read(_rows, "vec_embeddings")
    assert len(db.read(_rows, "embeddings")) == 3
    db.write(embeddings.remove, "a")
    assert db.read(_rows, "embeddings") == db.read(_rows, "vec_embeddings")
    assert len(db.read(_rows, "embeddings")) == 1


def test_a_failed_change_leaves_both_tables_as_they_were(db: Database) -> None:
    db.write(embeddings.replace, "a", "h", [("one", _random(1))], "toy", NOW)
    before = db.read(_rows, "embeddings")

    def fail(tx: WriteTx) -> None:
        embeddings.replace(tx, "a", "h2", [("two", _random(2))], "toy", NOW)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        db.write(fail)
    assert db.read(_rows, "embeddings") == before
    assert {id_ for id_, _ in db.read(vectors.knn, _random(1), 5)} == before


def _memory(tx: WriteTx, memory_id: str, content_hash: str | None, updated_at: str) -> None:
    tx.run(
        "INSERT INTO memories (id, content, content_hash, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
        (memory_id, f"text of {memory_id}", content_hash, updated_at, updated_at),
    )


def test_a_gap_is_a_missing_vector_another_text_or_another_model(tmp_path: Path) -> None:
    with a_store(tmp_path) as db:
        for day, (memory_id, content_hash) in enumerate(
            [("current", "h"), ("none", "h1"), ("changed", "h2"), ("other", "h3"), ("bare", None)]
        ):
            db.write(_memory, memory_id, content_hash, f"2026-01-0{day + 1}")
        db.write(embeddings.replace, "current", "h", [("text", _random(1))], "toy", NOW)
        db.write(embeddings.replace, "changed", "old", [("text", _random(2))], "toy", NOW)
        db.write(embeddings.replace, "other", "h3", [("text", _random(3))], "elder", NOW)
        gaps = db.read(embeddings.untried, 10, model="toy", now=NOW, rest=REST)
        assert gaps == ["bare", "other", "changed", "none"]
        assert db.read(embeddings.untried, 2, model=None, now=NOW, rest=REST) == ["bare", "changed"]
        coverage = db.read(embeddings.coverage, model="toy")
        assert (coverage.total, coverage.embedded, coverage.share) == (5, 1, 0.2)
        assert db.read(embeddings.coverage).embedded == 2


def _has(tx: ReadTx, table: str) -> bool:
    return tx.one("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)) is not None


def _nearest(db: Database, vector: bytes) -> list[str]:
    return [id_ for id_, _ in db.read(vectors.knn, vector, 5)]


def test_a_rebuild_in_small_steps_answers_right_after_each_of_them(db: Database) -> None:
    if not db.has_vec:
        pytest.skip("sqlite-vec cannot be loaded here")
    for number in range(30):
        pair = ("text", vectors.pack([1.0, float(number), 2.0]))
        db.write(embeddings.replace, f"old{number}", "h", [pair], "elder", NOW)
    db.write(_fill, 35)
    assert db.read(vectors.indexed_dimensions) == 3
    question, steps = _random(1), 0
    expected = _nearest(db, question)
    while db.write(vectors.rebuild, WIDTH, limit=10):
        steps += 1
        assert _nearest(db, question) == expected
        # Vectors come and go meanwhile.
        db.write(embeddings.replace, "m30", "h", [("text", _random(5_000 + steps))], "toy", NOW)
        expected = _nearest(db, question)
    assert steps > 6
    assert _nearest(db, question) == expected
    assert db.read(vectors.indexed_dimensions) == WIDTH
    assert not db.read(vectors.needs_rebuild, WIDTH)
    width = "SELECT id FROM embeddings WHERE dimensions = ?"
    wanted = db.read(lambda tx: {row[0] for row in tx.all(width, (WIDTH,))})
    assert db.read(_rows, "vec_embeddings") == wanted
    assert not db.read(_has, "vec_embeddings_filled")


def test_a_width_that_changes_again_in_the_middle_is_followed(db: Database) -> None:
    if not db.has_vec:
        pytest.skip("sqlite-vec cannot be loaded here")
    db.write(_fill, 25)
    db.write(embeddings.replace, "wide", "h", [("text", vectors.pack([1.0, 0.0, 0.0]))], "toy", NOW)
    for _ in range(4):
        db.write(vectors.rebuild, 3, limit=10)
    assert db.read(vectors.indexed_dimensions) == 3
    db.write(vectors.rebuild, WIDTH, limit=10)
    db.write(vectors.rebuild, WIDTH, limit=10)
    assert db.read(vectors.indexed_dimensions) is None, "it is not whole"
    for width in (3, WIDTH):
        while db.write(vectors.rebuild, width, limit=10):
            pass
        assert db.read(vectors.indexed_dimensions) == width
    assert len(db.read(_rows, "vec_embeddings")) == 25


def test_a_store_without_vectors_needs_no_index(db: Database) -> None:
    assert not db.read(vectors.needs_rebuild, WIDTH)
    assert db.write(vectors.rebuild, WIDTH, limit=10) is False
