"""The signs in memory find what a comparison of every stored vector finds, whatever happens to the rows."""

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from recall.world import MODEL, NOW, SHARED, a_store, remember
from signet.db import Database, ReadTx, WriteTx, binary_index, vector_cache, vectors
from signet.db.binary_index import BLOCK, BinaryIndex
from signet.db.driver import connect
from signet.domain.embeddings import vectors as embeddings
from signet.domain.recall import vector, view
from signet.domain.recall.models import Filters, Query, Scores
from signet.domain.recall.vector import MemoryVectors
from support.processes import eventually

WIDTH = 20
LIMIT = 7
PROJECTS = ("north", "south", "west")


@pytest.fixture(autouse=True)
def _worth_it_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "WORTH", 1)
    monkeypatch.setattr(vector_cache, "INLINE", 40)
    monkeypatch.setattr(vector_cache, "PART", 64)


def _vector(seed: int) -> bytes:
    chance = random.Random(seed)
    return vectors.pack(chance.gauss(0, 1) for _ in range(WIDTH))


def _save(tx: WriteTx, number: int, seed: int, passages: int = 1) -> None:
    """Save a memory, or put other vectors in the place of its own."""
    memory_id = f"m{number}"
    if tx.one("SELECT 1 FROM memories WHERE id = ?", (memory_id,)) is None:
        remember(tx, memory_id, "text", embedded=False, project=PROJECTS[number % 3])
    pairs = [("text", _vector(1_000 * seed + place)) for place in range(passages)]
    embeddings.replace(tx, memory_id, f"hash of {memory_id}", pairs, MODEL, NOW)


def _forget(tx: WriteTx, number: int) -> None:
    tx.run("UPDATE memories SET is_deleted = 1 WHERE id = ?", (f"m{number}",))


def _purge(tx: WriteTx, number: int) -> None:
    embeddings.remove(tx, f"m{number}")
    tx.run("DELETE FROM memories WHERE id = ?", (f"m{number}",))


def _query(project: str | None = None) -> Query:
    return Query(text="", reader=SHARED, filters=Filters(project=project))


def _near(tx: ReadTx, question: bytes, query: Query, limit: int, model: str = MODEL) -> Scores:
    return vector.find(tx, question, view.view_of(tx, query), limit, model=model)


def _has_all(tx: ReadTx) -> bool:
    assert tx.caches is not None
    return tx.caches.get(MemoryVectors).fresh(tx, WIDTH, MODEL) is not None


def _newest(tx: ReadTx) -> int:
    assert tx.caches is not None
    return tx.caches.get(MemoryVectors).newest(tx)


def _agree(db: Database, seed: int) -> None:
    """Compare what is found with what there is, from one snapshot, for any and for one project."""
    question = _vector(-seed)

    def both(tx: ReadTx, query: Query) -> tuple[Scores, Scores]:
        found = _near(tx, question, query, LIMIT)
        every = vector.exact(tx, question, view.condition(query), model=MODEL)
        return found, every

    for query in (_query(), _query("south"), _query("nowhere")):
        found, every = db.read(both, query)
        true = sorted(every, key=lambda seq: (-every[seq], -seq))[:LIMIT]
        above = [seq for seq in true if every[seq] > 0]
        assert [seq for seq in found if found[seq] > 0] == above
        assert [found[seq] for seq in above] == pytest.approx([every[seq] for seq in above])


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with a_store(tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("seed", range(6))
def test_any_sequence_of_changes_leaves_the_answers_those_of_an_exact_scan(
    db: Database, seed: int
) -> None:
    chance = random.Random(seed)
    for step in range(60):
        number = chance.randrange(30)
        change = chance.choice((None, None, None, _forget, _purge))
        if change is None:
            db.write(_save, number, step + 1, chance.choice((1, 1, 3)))
        else:
            db.write(change, number)
        assert not db.read(_newest) or eventually(lambda: db.read(_has_all))
        _agree(db, step + 1)


def test_a_purge_of_nearly_everything_starts_the_index_anew(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cache, "OLDEST_SNAPSHOT_MS", 0)
    for number in range(60):
        db.write(_save, number, number + 1)
    assert eventually(lambda: db.read(_has_all))
    for number in range(50):
        db.write(_purge, number)
    _agree(db, 1)
    eventually(lambda: db.read(_has_all))
    _agree(db, 2)
    for number in range(20):
        db.write(_save, number, number + 100)
        _agree(db, number + 3)


@pytest.mark.sqlite_file
def test_a_large_store_is_read_before_anybody_asks(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_cache, "LARGE", 60)
    monkeypatch.setattr(vector_cache, "INLINE", 0)

    def begin(tx: ReadTx) -> bool:
        assert tx.caches is not None
        kept = tx.caches.get(MemoryVectors)
        kept.read_ahead(tx, MODEL)
        return kept._packed is not None

    for number in range(50):
        db.write(_save, number, number + 1)
    assert not db.read(begin)
    for number in range(50, 80):
        db.write(_save, number, number + 1)
    assert db.read(begin)
    assert eventually(lambda: db.read(_has_all))


def test_many_vectors_at_once_are_read_behind_the_searches(db: Database) -> None:
    def many(tx: WriteTx) -> None:
        for number in range(300):
            _save(tx, number, number + 1)

    db.write(many)
    _agree(db, 1)
    assert eventually(lambda: db.read(_has_all))
    _agree(db, 2)


def elsewhere(path: str, first: int) -> None:
    """Save and purge as another process does."""
    other = Database(Path(path))
    for number in range(first, first + 10):
        other.write(_save, number, number + 1)
    other.write(_purge, first)
    other.close()


@pytest.mark.sqlite_file
def test_what_another_process_embeds_and_purges_is_seen_at_once(
    db: Database, tmp_path: Path
) -> None:
    db.write(_save, 0, 1)
    assert db.read(_has_all)
    program = "import sys; from recall import test_binary_index as t; t.elsewhere(sys.argv[1], int(sys.argv[2]))"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    for first in (10, 20):
        command = [sys.executable, "-c", program, str(tmp_path / "memories.db"), str(first)]
        subprocess.run(command, env=environment, check=True)
        _agree(db, first)
        assert db.read(_has_all)


def test_a_write_that_was_rolled_back_leaves_nothing_behind(db: Database) -> None:
    db.write(_save, 0, 1)
    assert db.read(_has_all)

    def fail(tx: WriteTx) -> None:
        _save(tx, 1, 2)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        db.write(fail)
    _agree(db, 1)
    db.write(_save, 2, 3)
    _agree(db, 2)


def test_a_held_write_lock_changes_no_answer(db: Database, tmp_path: Path) -> None:
    for number in range(20):
        db.write(_save, number, number + 1)
    other = connect(tmp_path / "memories.db")
    other.execute("BEGIN IMMEDIATE")
    try:
        _agree(db, 1)
        assert db.read(_has_all)
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_vacuum_leaves_the_numbers_of_vectors_as_they_are(db: Database, tmp_path: Path) -> None:
    for number in range(20):
        db.write(_save, number, number + 1)
    assert db.read(_has_all)
    for number in range(0, 20, 3):
        db.write(_purge, number)
    other = connect(tmp_path / "memories.db")
    other.execute("VACUUM")
    other.close()
    _agree(db, 1)
    db.write(_save, 3, 77)
    _agree(db, 2)


def test_searches_and_saves_at_once_agree_with_their_own_snapshots(db: Database) -> None:
    for number in range(20):
        db.write(_save, number, number + 1)
    failed: list[BaseException] = []

    def search(first: int) -> None:
        try:
            for seed in range(first, first + 25):
                _agree(db, seed)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=search, args=(100 * n + 1,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for number in range(40):
        db.write(_save, number % 30, number + 50)
    for thread in threads:
        thread.join()
    assert not failed


def test_another_model_or_width_has_its_own_signs(db: Database) -> None:
    for number in range(10):
        db.write(_save, number, number + 1)
    assert db.read(_has_all)
    pairs = [("text", _vector(5))]
    db.write(embeddings.replace, "m3", "hash of m3", pairs, "newer", NOW)
    newer = db.read(_near, _vector(9), _query(), LIMIT, "newer")
    assert len(newer) == 1
    _agree(db, 1)
    assert db.read(_near, vectors.pack([1.0, 2.0]), _query(), LIMIT) == {}


@pytest.mark.sqlite_file
def test_few_of_many_are_found(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "LEAST_COMPARED", LIMIT)
    monkeypatch.setattr(vector_cache, "COMPARED", 1)
    for number in range(35):
        db.write(_save, number, number + 1)
    db.write(lambda tx: tx.run("UPDATE memories SET project = 'rare' WHERE seq IN (2, 9, 30)"))
    assert db.read(_has_all)
    found = db.read(_near, _vector(3), _query("rare"), LIMIT)
    assert set(found) == {2, 9, 30}


@pytest.mark.sqlite_file
def test_of_very_many_more_are_compared(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "LEAST_COMPARED", 5)
    monkeypatch.setattr(vector_cache, "COMPARED", 1)
    for number in range(35):
        db.write(_save, number, number + 1)
    assert db.read(_has_all)
    read = MemoryVectors.stored
    looked: list[int] = []

    def counted(self: MemoryVectors, tx: ReadTx, numbers: list[int]) -> object:
        looked.append(len(numbers))
        return read(self, tx, numbers)

    monkeypatch.setattr(MemoryVectors, "stored", counted)
    for many, expected in ((35, 5), (34, 15)):
        looked.clear()
        monkeypatch.setattr(vector_cache, "MANY", many)
        db.read(_near, _vector(3), _query(), 5)
        assert looked[0] == expected


def _clusters(count: int) -> tuple[np.ndarray, np.ndarray]:
    chance = np.random.default_rng(5)
    centres = chance.standard_normal((40, 96)).astype(np.float32)
    noise = chance.standard_normal((count, 96)).astype(np.float32)
    return centres, centres[np.arange(count) % 40] + np.float32(0.4) * noise


def test_binary_index_signs_choose_the_nearest_of_several_blocks() -> None:
    count = BLOCK + 5_000
    centres, rows = _clusters(count)
    packed = BinaryIndex(96)
    numbers = np.arange(1, count + 1)
    for first in range(0, count, 7_001):
        part = slice(first, first + 7_001)
        packed.add(numbers[part], numbers[part] + 10, rows[part])
    assert packed.count == count
    for centre in centres[:5]:
        true = set((np.argsort(-(rows @ centre))[:10] + 1).tolist())
        chosen, owners = packed.nearest(centre, 2_000)
        assert len(true & set(chosen.tolist())) >= 9
        assert (owners == chosen + 10).all()


def test_binary_index_signs_obey_flags_and_forget_what_is_gone() -> None:
    centres, rows = _clusters(500)
    packed = BinaryIndex(96)
    numbers = np.arange(1, 501)
    packed.add(numbers, numbers, rows)
    allowed = np.zeros(301, dtype=np.bool_)
    allowed[[4, 250, 300]] = True
    assert set(packed.nearest(centres[0], 50, allowed)[0].tolist()) == {4, 250, 300}
    packed.forget(np.array([4, 4_000]))
    packed.forget(np.array([4]))
    assert packed.gone == 1
    assert set(packed.nearest(centres[0], 50, allowed)[0].tolist()) == {250, 300}
    assert 4 not in packed.nearest(centres[0], 500)[0]


class _Growing(BinaryIndex):
    """Gets a row of a memory with a high number each time that it has made its flags."""

    def _covering(self, allowed: "binary_index.Flags") -> "binary_index.Flags":
        flags = super()._covering(allowed)
        self.add(np.array([900]), np.array([10_000]), np.ones((1, WIDTH), dtype=np.float32))
        return flags


def test_a_row_that_comes_during_a_search_is_not_in_it() -> None:
    found = _Growing(WIDTH)
    found.add(np.array([1, 2]), np.array([5, 6]), np.ones((2, WIDTH), dtype=np.float32))
    allowed = np.array([False] * 5 + [True])
    assert found.rows(allowed)[0].tolist() == [1]
    near, owners = found.nearest(np.ones(WIDTH, dtype=np.float32), 5, allowed)
    assert (near.tolist(), owners.tolist()) == ([1], [5])
