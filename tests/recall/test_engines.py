"""Both engines give the same pages: the same results, with the same scores, in the same order except ties."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

from recall.test_larder import MEMORIES, QUESTIONS, Question, _save, _vector
from recall.world import MODEL, NOW, SHARED, a_store
from signet.db import Database, WriteTx
from signet.domain.episodes import sql
from signet.domain.episodes.models import Chunk, Source, SourceType
from signet.domain.recall.models import Filters, Query, RecallSettings
from signet.domain.recall.recall import recall
from storage.hosts import rows
from support.database import ENGINES

#: More than a question brings candidates from sessions, so that the engines must choose the same.
SESSIONS = 60
#: Sums of different order differ by this.
EQUAL = 1e-9
Page = Sequence[tuple[str, float]]


def _talk(tx: WriteTx) -> None:
    """Index sessions of two exchanges, in which others said what the memories say; the last ones first."""
    for number in reversed(range(SESSIONS)):
        said = [MEMORIES[(number * step + step) % len(MEMORIES)] for step in (1, 7)]
        content = "\n".join(
            f"User: {QUESTIONS[(number + at) % len(QUESTIONS)]['question']}\nAssistant: {one['text']}"
            for at, one in enumerate(said)
        )
        project = f"/work/{number % 2}"
        source = Source(
            type=SourceType.SESSION, id=f"s{number}", agent_id="default", project=project
        )
        at = f"2026-02-{1 + number % 28:02d}T09:00:00Z"
        sql.insert(tx, source, [Chunk(position=0, content=content, said_at=at)])
        lacking = sql.lacking(tx, source, MODEL, most=1)
        sql.give_vectors(
            tx, [(row, [_vector(one["vector"]) for one in said]) for row in lacking], MODEL
        )


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Database]]:
    folder = tmp_path_factory.mktemp("engines")
    with ENGINES.during(on_postgres=False), a_store(folder / "file") as file:
        file.write(_save)
        file.write(_talk)
        with ENGINES.during(on_postgres=True), a_store(folder / "server") as server:
            server.write(_save)
            server.write(_talk)
            rows(str(server.url), "ANALYZE")  # else it plans as for unknown tables
            yield file, server


def _page(db: Database, asked: Question, query: Query, *, by_meaning: bool) -> Page:
    vector = _vector(asked["vector"]) if by_meaning else None
    found = db.read(
        lambda tx: recall(
            tx,
            query,
            query_vector=lambda _: vector,
            settings=RecallSettings(embedding_model=MODEL if by_meaning else None),
            now=NOW,
        )
    )
    assert not set(found.degraded) - {"vector"}
    return [(hit.id, hit.score) for hit in found.hits]


def _without_ties(page: Page) -> list[tuple[float, list[str]]]:
    """Return each score, to nine digits, with the results that have it."""
    ends = [at for at, (a, b) in enumerate(pairwise(page), 1) if not _is_equal(a[1], b[1])]
    parts = [page[first:last] for first, last in pairwise([0, *ends, len(page)])]
    return [(part[0][1], sorted(id_ for id_, _ in part)) for part in parts if part]


def _is_equal(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=EQUAL, abs_tol=EQUAL)


@pytest.mark.parametrize("by_meaning", [True, False])
@pytest.mark.parametrize(
    ("filters", "limit", "floor"),
    [
        (Filters(), 10, None),
        (Filters(project="/work/1"), 5, None),
        (Filters(), 30, 0.0),
        (Filters(since="2026-02-10", until="2026-02-20"), 10, None),
    ],
)
def test_a_page_is_the_same_on_both_engines(
    both: tuple[Database, Database],
    filters: Filters,
    limit: int,
    floor: float | None,
    by_meaning: bool,
) -> None:
    results = 0
    for asked in QUESTIONS:
        query = Query(
            text=asked["question"], reader=SHARED, filters=filters, limit=limit, floor=floor
        )
        here, there = (_without_ties(_page(db, asked, query, by_meaning=by_meaning)) for db in both)
        assert [names for _, names in here] == [names for _, names in there], asked["question"]
        assert all(_is_equal(one[0], other[0]) for one, other in zip(here, there, strict=True))
        results += len(here)
    assert results > len(QUESTIONS)
