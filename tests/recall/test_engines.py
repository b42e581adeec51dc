"""Both engines give the same pages: the same results, with the same scores, in the same order except ties."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest

from recall.test_larder import MEMORIES, QUESTIONS, Question, _save, _vector
from recall.world import MODEL, NOW, SHARED, a_store
from signet.db import Database, ReadTx, WriteTx, fts
from signet.domain.episodes import sql
from signet.domain.episodes.models import Chunk, Source, SourceType
from signet.domain.recall import columns
from signet.domain.recall.models import Filters, Query, RecallSettings
from signet.domain.recall.recall import recall
from signet.domain.recall.sql import reading
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


#: A word of many rows, of one, of none; a phrase; the beginning of a word, and its stem.
TERMS = ("scanner", "barcode", "zeppelin", "leading-zeros", "barc*barcodes")


@pytest.mark.parametrize("term", TERMS)
def test_a_word_has_the_same_rows_and_parts_of_bm25_on_both_engines(
    both: tuple[Database, Database], term: str
) -> None:
    match = fts.any_of([term])

    def look(tx: ReadTx) -> tuple[list[int], list[tuple[int, float]], list[tuple[int, float]]]:
        whole = columns.Postings().find(tx, term, rows=len(MEMORIES), mean=1.0, at=None)
        rows = reading.holding_rows(tx, match).tolist()
        assert rows == whole.rows.tolist()
        assert [row[0] for row in reading.ranks(tx, match, 2)] == rows[:2]
        some = reading.ranks_of(tx, match, [*rows[::2], 999_999])
        weights = columns.weight(len(rows), len(MEMORIES))
        parts = [(row, -rank / (weights if is_weighed else 1)) for row, rank, is_weighed in some]
        return rows, list(zip(rows, whole.parts.tolist(), strict=True)), parts

    here, there = (db.read(look) for db in both)
    assert here[0] == there[0]
    assert bool(here[0]) is (term != "zeppelin")
    for one, other in zip(here[1] + here[2], there[1] + there[2], strict=True):
        assert one[0] == other[0]
        assert math.isclose(one[1], other[1], rel_tol=1e-6)


def test_a_word_of_a_server_is_read_from_the_index_alone(both: tuple[Database, Database]) -> None:
    """Else a common word would read a page of the table for each of its rows, in random order."""
    url = str(both[1].url)
    rows(url, "VACUUM words")
    plan = rows(
        url, "EXPLAIN SELECT \"row\", times, length FROM words WHERE index = 1 AND term = 'scanner'"
    )
    assert "Index Only Scan using words_pkey" in "".join(line for (line,) in plan)
