"""The passages nearest to a vector: the same by signs and by comparing all, whatever happens to the rows."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from signet.db import Database, ReadTx, WriteTx, vector_cache, vectors
from signet.db.visibility import Reader
from signet.domain.episodes import search, sql
from signet.domain.episodes.models import Chunk, Source, SourceType
from signet.domain.episodes.search import ChunkScope, ChunkVectors
from support.database import fresh_database
from support.processes import eventually

MODEL, WIDTH, MOST = "toy", 24, 6
PROJECTS = ("/north", "/south")


@pytest.fixture(params=["signs", "all"])
def db(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Database]:
    if request.param == "signs":
        monkeypatch.setattr(vector_cache, "WORTH", 1)
    opened = Database(fresh_database(tmp_path / "memories.db"))
    yield opened
    opened.close()


def _vector(seed: int) -> bytes:
    chance = random.Random(seed)
    return vectors.pack(chance.gauss(0, 1) for _ in range(WIDTH))


def _source(number: int, agent: str = "default") -> Source:
    project = PROJECTS[number % 2]
    return Source(type=SourceType.SESSION, id=f"s{number}", agent_id=agent, project=project)


def _index(tx: WriteTx, number: int, seed: int, parts: int = 3, agent: str = "default") -> None:
    source = _source(number, agent)
    text = f"User: words of {number}"
    sql.insert(tx, source, [Chunk(position=0, content=text, said_at="2026-02-03T09:00:00Z")])
    lacking = sql.lacking(tx, source, MODEL, most=1)
    many = [_vector(100 * seed + part) for part in range(parts)]
    sql.give_vectors(tx, [(one, many) for one in lacking], MODEL)


def _near(tx: ReadTx, scope: ChunkScope, question: bytes) -> list[str]:
    found = search.near(tx, question, scope._replace(most=MOST), model=MODEL)
    return [one.source_id for one in found]


def _nearest(known: dict[int, list[bytes]], question: bytes) -> list[str]:
    best = {number: max(vectors.cosines(question, many)) for number, many in known.items()}
    return [f"s{number}" for number in sorted(best, key=best.__getitem__, reverse=True)[:MOST]]


def _is_read(tx: ReadTx) -> bool:
    assert tx.caches is not None
    signs = tx.caches.get(ChunkVectors)
    return vector_cache.WORTH > 1 or signs.fresh(tx, WIDTH, MODEL) is not None


def test_the_nearest_are_found_after_any_change(db: Database) -> None:
    known = {number: [_vector(100 * number + part) for part in range(3)] for number in range(40)}
    for number in known:
        db.write(_index, number, number)
    db.write(_index, 99, 1, agent="another")
    for seed, change in enumerate(("new", "deleted", "again", "other vectors")):
        if change == "deleted":
            for number in (3, 4, 5):
                db.write(sql.delete_session, "default", f"s{number}")
                del known[number]
        elif change == "again":
            db.write(_index, 3, 77)
            known[3] = [_vector(7_700 + part) for part in range(3)]
        elif change == "other vectors":
            lacking = db.read(sql.lacking, _source(8), "other", most=1)
            db.write(sql.give_vectors, [(one, [_vector(9_000)]) for one in lacking], MODEL)
            known[8] = [_vector(9_000)]
        assert eventually(lambda: db.read(_is_read))
        question = _vector(-1 - seed)
        assert db.read(_near, ChunkScope(Reader(), None), question) == _nearest(known, question)
        south = {number: many for number, many in known.items() if number % 2}
        assert db.read(_near, ChunkScope(Reader(), "/south"), question) == _nearest(south, question)
        but = _nearest(south, question)[0]
        others = {number: many for number, many in south.items() if f"s{number}" != but}
        assert db.read(_near, ChunkScope(Reader(), "/south", but), question) == _nearest(
            others, question
        )


def test_another_model_or_width_finds_nothing(db: Database) -> None:
    for number in range(5):
        db.write(_index, number, number)
    assert db.read(search.near, _vector(1), ChunkScope(Reader(), None), model="other") == []
    short = vectors.pack([1.0, 2.0])
    assert db.read(search.near, short, ChunkScope(Reader(), None), model=MODEL) == []


def test_a_deleted_chunk_takes_its_vectors_along(db: Database) -> None:
    db.write(_index, 1, 1)
    db.write(_index, 2, 2)
    db.write(sql.delete_session, "default", "s1")
    assert db.read(lambda tx: tx.value("SELECT count(*) FROM chunk_vectors")) == 3
