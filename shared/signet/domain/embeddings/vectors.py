"""The rows of `embeddings`, kept equal to the vec0 index in each transaction (SCH-8).

A memory has one vector for each passage of its text, numbered from 0. A vector is current when its hash is the
memory's `content_hash` (a row of an older file may have none) and its model the configured one (PIP-59).
"""

from collections.abc import Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, WriteTx, vectors
from signet.domain.activity import usage
from signet.domain.embeddings import sql
from signet.domain.embeddings.models import Coverage, Gap, Rest, SourceType, Survey
from signet.queue import Status, stats

#: The beat that looks for missing vectors, and the counter of the times when it could not.
BEAT = "embedding_gaps"
SKIPPED_CYCLES = "embedding_skipped_cycles"


def replace(
    tx: WriteTx,
    memory_id: str,
    content_hash: str,
    passages: Sequence[tuple[str, bytes]],
    model: str,
    now: datetime,
    *,
    source_type: SourceType = SourceType.MEMORY,
) -> None:
    """Put these (passage, vector) pairs in the place of the memory's vectors; doing it again changes nothing.

    The caller checks that the memory still has this `content_hash`: a vector of an older text would be stale.
    """
    remove(tx, memory_id, source_type=source_type)
    rows = [(ids.new_ordered_id(), text, vector) for text, vector in passages]
    at = clock.to_text(now)
    tx.many(
        sql.INSERT,
        [
            (
                *(id_, content_hash, vector, vectors.dimensions(vector), source_type, memory_id),
                *(ordinal, model, text, at),
            )
            for ordinal, (id_, text, vector) in enumerate(rows)
        ],
    )
    vectors.insert(tx, [(id_, vector) for id_, _, vector in rows])


def remove(tx: WriteTx, memory_id: str, *, source_type: SourceType = SourceType.MEMORY) -> None:
    """Delete the vectors of a memory (or skill); nothing happens when it has none."""
    old = tx.column(sql.IDS, (source_type, memory_id))
    if old:
        vectors.delete(tx, old)
        tx.run(sql.DELETE, (source_type, memory_id))


def untried(tx: ReadTx, limit: int, *, model: str | None, now: datetime, rest: Rest) -> list[str]:
    """Return memories without a current vector that no job looks after, the last changed first.

    One whose job has died is left alone while it rests. With `model`, vectors of another one do not count.
    """
    asked = {
        "model": model,
        "now": now.timestamp(),
        "rest": rest.first_seconds,
        "longest": rest.longest_seconds,
        "limit": limit,
    }
    return tx.column(sql.UNTRIED, asked)


def gap(tx: ReadTx, memory_id: str, *, model: str | None = None) -> Gap | None:
    """Return what is to be embedded for a memory; None when it has current vectors or is gone."""
    row = tx.one(sql.GAP, {"id": memory_id, "model": model})
    if row is None:
        return None
    return Gap(memory_id=row[0], content=row[1], content_hash=row[2])


def coverage(tx: ReadTx, *, model: str | None = None) -> Coverage:
    """Return how many active memories there are and how many have a current vector."""
    row = tx.one(sql.COVERAGE, {"model": model})
    return Coverage(total=row[0], embedded=row[1]) if row else Coverage(total=0, embedded=0)


def survey(tx: ReadTx, *, model: str | None, dimensions: int) -> Survey:
    """Look at every vector; about 3 s for a million of them."""
    kinds = tx.all(sql.KINDS)
    in_index, unindexed = None, 0
    if tx.one(sql.HAS_INDEX) is not None:
        in_index = int(tx.value(sql.INDEXED))
        unindexed = int(tx.value(sql.UNINDEXED, (dimensions,)))
    return Survey(
        coverage=coverage(tx, model=model),
        models=tuple(sorted({row[1] for row in kinds if row[1] and row[3]})),
        other_width=sum(row[2] for row in kinds if row[0] != dimensions),
        without_values=sum(row[4] for row in kinds),
        in_table=int(tx.value(sql.ALL)),
        in_index=in_index,
        unindexed=unindexed,
        orphaned=sum(row[2] - row[3] for row in kinds),
    )


def note_skipped(tx: WriteTx) -> None:
    """Count a look for missing vectors that did not take place."""
    usage.add_lasting(tx, "scheduler", SKIPPED_CYCLES)


def tracker(tx: ReadTx) -> dict[str, object]:
    """Return what the search for missing vectors has done, from rows: the same in every process, after restarts too."""
    jobs = {depth.status: depth.jobs for depth in stats.depths(tx) if depth.kind == "embed"}
    last_ms = tx.value(sql.LAST_CYCLE, (BEAT,))
    return {
        "processed": jobs.get(Status.COMPLETED, 0),
        "failed": jobs.get(Status.DEAD, 0),
        "skippedCycles": usage.lasting(tx, "scheduler", SKIPPED_CYCLES),
        "lastCycleAt": None if last_ms is None else clock.ms_to_text(last_ms),
        "queueDepth": jobs.get(Status.PENDING, 0) + jobs.get(Status.LEASED, 0),
    }
