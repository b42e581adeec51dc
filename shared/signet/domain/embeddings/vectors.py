"""Vectors of memories: embed, split into passages, store, find gaps, and reindex."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet import clock, ids
from signet.db import ReadTx, WriteTx, vectors
from signet.db.dialect import HAS
from signet.domain.activity import usage
from signet.domain.embeddings import sql
from signet.domain.embeddings.models import Gap, Rest, Survey, VectorCoverage, VectorSource
from signet.errors import ProviderDown, ProviderFailed
from signet.providers.ports import Embedder
from signet.queue import BULK, MAX_ATTEMPTS, JobStatus, NewJob, circuit_breaker, enqueue, stats
from signet.queue.job_context import JobContext
from signet.queue.kinds import queue_of


def embedded(embedder: Embedder, pieces: Sequence[str]) -> list[bytes]:
    """Return the vectors of texts; raises ProviderDown for a fault of the provider, ProviderFailed for a bad text."""
    try:
        return embedder.embed(pieces)
    except ProviderFailed as error:
        fault = embedder.fault()
        if fault is None:
            raise
        raise ProviderDown(fault) from error


#: Characters a passage aims at; an embedding model of 256 tokens reads about twice as many.
TARGET = 500

#: More passages than this are not made of one text (about 128,000 characters).
MAX_PASSAGES = 256

_BORDER = re.compile(r"(?<=[.!?…。！？])\s*(?=\S)|\n+")


def split_passages(text: str, *, target: int = TARGET) -> list[str]:
    """Return trimmed passages in order of at most `target` characters; at least one for a non-blank text.

    They end at sentences and lines; a longer sentence is cut at a space, else inside a word.
    """
    passages: list[str] = []
    passage = ""
    for sentence in _pieces(text, target):
        if passage and len(passage) + 1 + len(sentence) > target:
            passages.append(passage)
            passage = sentence
        else:
            passage = f"{passage} {sentence}" if passage else sentence
    if passage:
        passages.append(passage)
    return passages[:MAX_PASSAGES]


def _pieces(text: str, target: int) -> list[str]:
    pieces: list[str] = []
    for sentence in _BORDER.split(text):
        rest = sentence.strip()
        while len(rest) > target:
            cut = rest.rfind(" ", target // 2, target + 1)
            cut = target if cut < 0 else cut
            pieces.append(rest[:cut].rstrip())
            rest = rest[cut:].lstrip()
        if rest:
            pieces.append(rest)
    return pieces


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
    source_type: VectorSource = VectorSource.MEMORY,
) -> None:
    """Replace a memory's vectors by these (passage, vector) pairs.

    The caller checks that the memory still has this `content_hash`.
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


def remove(tx: WriteTx, memory_id: str, *, source_type: VectorSource = VectorSource.MEMORY) -> None:
    old = tx.column(sql.IDS, (source_type, memory_id))
    if old:
        vectors.delete(tx, old)
        tx.run(sql.DELETE, (source_type, memory_id))


def untried(tx: ReadTx, limit: int, *, model: str | None, now: datetime, rest: Rest) -> list[str]:
    """Return memories without a current vector and without a job for one, the last changed first.

    One whose job has died rests first. With `model`, vectors of other models do not count.
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
    """Return the text to embed for a memory; None if its vectors are current or it was deleted."""
    row = tx.one(sql.GAP, {"id": memory_id, "model": model})
    if row is None:
        return None
    return Gap(memory_id=row[0], content=row[1], content_hash=row[2])


def coverage(tx: ReadTx, *, model: str | None = None) -> VectorCoverage:
    row = tx.one(sql.COVERAGE, {"model": model})
    return (
        VectorCoverage(total=row[0], embedded=row[1])
        if row
        else VectorCoverage(total=0, embedded=0)
    )


def survey(tx: ReadTx, *, model: str | None, dimensions: int) -> Survey:
    """Check every vector; about 3 s for a million."""
    kinds = tx.all(sql.KINDS)
    in_index, unindexed = None, 0
    if tx.one(HAS, (sql.INDEX_IDS,)) is not None:
        in_index = int(tx.value(sql.INDEXED))
        unindexed = int(tx.value(sql.UNINDEXED, (dimensions,)))
    return Survey(
        coverage=coverage(tx, model=model),
        models=tuple(sorted({row[1] for row in kinds if row[1] and row[3]})),
        other_width=sum(row[2] for row in kinds if row[0] != dimensions),
        without_values=sum(row[4] for row in kinds),
        in_table=int(tx.value(sql.ALL)),
        in_index=in_index,
        needs_index=bool(tx.value(sql.NEEDS_INDEX)),
        unindexed=unindexed,
        orphaned=sum(row[2] - row[3] for row in kinds),
    )


def note_skipped(tx: WriteTx) -> None:
    usage.add_lasting(tx, "scheduler", SKIPPED_CYCLES)


def tracker(tx: ReadTx) -> dict[str, object]:
    """Return the results of the search for missing vectors, the same in every process."""
    jobs = {depth.status: depth.jobs for depth in stats.depths(tx) if depth.kind == "embed"}
    last_ms = tx.value(sql.LAST_CYCLE, (BEAT,))
    return {
        "processed": jobs.get(JobStatus.COMPLETED, 0),
        "failed": jobs.get(JobStatus.DEAD, 0),
        "skippedCycles": usage.lasting(tx, "scheduler", SKIPPED_CYCLES),
        "lastCycleAt": None if last_ms is None else clock.ms_to_text(last_ms),
        "queueDepth": jobs.get(JobStatus.PENDING, 0) + jobs.get(JobStatus.LEASED, 0),
    }


#: Memories queued in one transaction (15 to 30 ms); the next run finds the rest.
BATCH = 1_000
#: How long a text whose embedding has died (after three tries or more) is left alone, so that it costs little and
#: delays no other: a minute, doubled with each death, at most a day.
REST = Rest(first_seconds=60, longest_seconds=86_400)


def find_gaps(tx: ReadTx, *, model: str | None, now: datetime, limit: int = BATCH) -> list[str]:
    """Return memories without a vector of this model, the last changed first; none while the provider is down.

    Excludes queued and resting ones. Reads every memory (250 ms for 200,000), so call it outside write transactions.
    """
    if _is_down(tx, now):
        return []
    return untried(tx, limit, model=model, now=now, rest=REST)


def fill_gaps(
    tx: WriteTx, memory_ids: Sequence[str], *, attempts: int = MAX_ATTEMPTS, now: datetime
) -> None:
    """Queue the embedding of memories, or count that the provider is down."""
    if _is_down(tx, now):
        note_skipped(tx)
        return
    for memory_id in memory_ids:
        job = NewJob(kind="embed", memory_id=memory_id, priority=BULK)
        enqueue(tx, job, now=now, max_attempts=attempts)


def _is_down(tx: ReadTx, now: datetime) -> bool:
    retry_at_ms = circuit_breaker.breaker_retry_at(tx, queue_of("embed"))
    return retry_at_ms is not None and retry_at_ms > now.timestamp() * 1000


KIND = "vector_index"
#: Vectors of one transaction: about 20 ms.
STEP = 200


def queue_reindex(tx: WriteTx, *, dimensions: int, now: datetime) -> None:
    """Queue rebuilding an index that is missing, incomplete or of another width."""
    if vectors.needs_rebuild(tx, dimensions):
        enqueue(tx, NewJob(kind=KIND, dedupe_key="vectors", priority=BULK), now=now)


def reindex(job: JobContext, *, dimensions: int) -> None:
    """Rebuild the index and complete the job; raises LeaseLost, Cancelled."""
    steps = 0
    while job.progress(lambda tx: vectors.rebuild(tx, dimensions, limit=STEP)):
        job.check()
        steps += 1
    job.commit(lambda tx: {"steps": steps})


class Grade(StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class EmbeddingStatus(StrEnum):
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNHEALTHY = "unhealthy"


#: The weight of each check; the answer keeps this order.
WEIGHTS = {
    "provider-available": 0.30,
    "coverage": 0.25,
    "dimension-mismatch": 0.15,
    "model-drift": 0.10,
    "null-vectors": 0.08,
    "vec-table-sync": 0.07,
    "orphaned-embeddings": 0.05,
}
#: The share of a check's weight that each grade earns.
WORTH = {Grade.OK: 1.0, Grade.WARN: 0.5, Grade.FAIL: 0.0}
#: Least share of embedded memories for ok and for warn.
COVERED, BARELY_COVERED = 0.95, 0.80
#: Least scores of healthy and degraded; both count as reached.
HEALTHY, DEGRADED = 0.8, 0.5

RE_EMBED = "POST /api/repair/re-embed"
RESYNC = "POST /api/repair/resync-vec"
CLEAN = "POST /api/repair/clean-orphans"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthCheck:
    """One check: its result, a message, and the fix."""

    name: str
    grade: Grade
    message: str
    detail: str | None = None
    fix: str | None = None


def checks(survey: Survey, *, fault: str | None, model: str, dimensions: int) -> list[HealthCheck]:
    """Return all checks in order; `fault` is why the provider cannot be used."""
    return [
        _provider(fault),
        _coverage(survey),
        _failing(
            "dimension-mismatch",
            survey.other_width,
            fine=f"All vectors have {dimensions} dimensions",
            what=f"vectors do not have {dimensions} dimensions",
            fix=RE_EMBED,
        ),
        _drift(survey, model),
        _failing(
            "null-vectors",
            survey.without_values + survey.unindexed,
            fine="Every vector has values and is in the index",
            what="vectors are empty or missing from the index",
            fix=RESYNC,
        ),
        _index(survey),
        _orphans(survey),
    ]


def health_score(found: Sequence[HealthCheck]) -> float:
    """Return the weighted score of all checks, 0..1, to three decimals."""
    return round(sum(WEIGHTS[check.name] * WORTH[check.grade] for check in found), 3)


def health_status(value: float) -> EmbeddingStatus:
    if value >= HEALTHY:
        return EmbeddingStatus.HEALTHY
    return EmbeddingStatus.DEGRADED if value >= DEGRADED else EmbeddingStatus.UNHEALTHY


def _provider(fault: str | None) -> HealthCheck:
    name = "provider-available"
    if fault is None:
        return HealthCheck(name=name, grade=Grade.OK, message="The embedding provider answers")
    return HealthCheck(
        name=name, grade=Grade.FAIL, message="The embedding provider does not answer", detail=fault
    )


def _coverage(survey: Survey) -> HealthCheck:
    share, name = survey.coverage.share, "coverage"
    missing = survey.coverage.total - survey.coverage.embedded
    message = f"{share:.1%} of {survey.coverage.total} memories have an up-to-date vector"
    if share >= COVERED:
        return HealthCheck(name=name, grade=Grade.OK, message=message)
    grade = Grade.WARN if share >= BARELY_COVERED else Grade.FAIL
    return HealthCheck(
        name=name, grade=grade, message=message, detail=f"{missing} missing", fix=RE_EMBED
    )


def _drift(survey: Survey, model: str) -> HealthCheck:
    name = "model-drift"
    if len(survey.models) <= 1:
        return HealthCheck(name=name, grade=Grade.OK, message="All vectors are of one model")
    return HealthCheck(
        name=name,
        grade=Grade.WARN,
        message=f"Vectors of {len(survey.models)} models; configured is {model}",
        detail=", ".join(sorted(survey.models)),
        fix=RE_EMBED,
    )


def _index(survey: Survey) -> HealthCheck:
    name = "vec-table-sync"
    if survey.in_index is None:
        # An empty index is not a fault: its table is created with the first vector.
        is_missing = survey.needs_index and survey.in_table > 0
        message = "There is no vector index; vectors are compared one by one"
        return HealthCheck(
            name=name,
            grade=Grade.WARN if is_missing else Grade.OK,
            message=message,
            fix=RESYNC if is_missing else None,
        )
    if survey.in_index == survey.in_table:
        message = f"The index holds all {survey.in_index} vectors"
        return HealthCheck(name=name, grade=Grade.OK, message=message)
    message = f"The index holds {survey.in_index} of {survey.in_table} vectors"
    return HealthCheck(name=name, grade=Grade.WARN, message=message, fix=RESYNC)


def _orphans(survey: Survey) -> HealthCheck:
    name = "orphaned-embeddings"
    if not survey.orphaned:
        return HealthCheck(name=name, grade=Grade.OK, message="Every vector belongs to a memory")
    message = f"{survey.orphaned} vectors belong to memories that are gone or forgotten"
    return HealthCheck(name=name, grade=Grade.WARN, message=message, fix=CLEAN)


def _failing(name: str, count: int, *, fine: str, what: str, fix: str) -> HealthCheck:
    if not count:
        return HealthCheck(name=name, grade=Grade.OK, message=fine)
    return HealthCheck(name=name, grade=Grade.FAIL, message=f"{count} {what}", fix=fix)
