"""The states of a job, and one row per kind of job: where it queues, how long it may run.

A job kind, its actor file in the worker, its metric label and its log field are the same string. Queues keep
work of different weight apart: slots are counted per queue, so a folder of documents cannot delay extraction.
"""

from dataclasses import dataclass
from enum import StrEnum

DEFAULT_LIMIT_SECONDS = 300
#: How many past errors a row keeps, newest last.
ERRORS_KEPT = 5
#: Error codes of dead jobs that a person ended. They did not fail: repairs, maintenance and the dead rate ignore them.
CANCELLED, FLUSHED = "cancelled", "flushed"
#: SQL condition for jobs that died because they failed.
HAS_FAILED = (
    f"status = 'dead' AND COALESCE(last_error_code, '') NOT IN ('{CANCELLED}', '{FLUSHED}')"
)


class JobStatus(StrEnum):
    """Where a job is; the strings are what the table stores.

    pending → leased → completed; a failing run moves back to pending, or to dead when no attempt is left or none would
    help; a requeue moves dead to pending (transitions.py). CHECKs of the table refuse half a move. No row ever rests
    in `failed`.
    """

    PENDING = "pending"
    LEASED = "leased"
    COMPLETED = "completed"
    FAILED = "failed"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """What the queue knows about one kind of job. A dead job that `runs_once` is never given a fresh start."""

    name: str
    queue: str
    time_limit_seconds: int = DEFAULT_LIMIT_SECONDS
    runs_once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueKind:
    """A class of work; `pipelineV2.worker.threads` limits how many of its jobs a worker runs at once.

    `breaker` names the queue that stands still together with this one, because both ask the same provider.
    """

    name: str
    breaker: str | None = None


#: `llm` waits for models, and so do `hints` and `structure`, which may lag, and `sessions`, for minutes at
#: a time; `ingest` reads documents, `vectors` computes embeddings (one at a time uses the processor as well as several,
#: and leaves the other core free), `light` is upkeep, `repairs` is upkeep that a person may wait for, one at a time;
#: `tasks` waits for the programs of others.
QUEUES = {
    queue.name: queue
    for queue in (
        QueueKind(name="llm"),
        QueueKind(name="hints", breaker="llm"),
        QueueKind(name="structure", breaker="llm"),
        QueueKind(name="sessions", breaker="llm"),
        QueueKind(name="ingest"),
        QueueKind(name="vectors"),
        QueueKind(name="light"),
        QueueKind(name="repairs"),
        QueueKind(name="tasks"),
    )
}

KINDS = {
    kind.name: kind
    for kind in (
        JobKind(name="extract", queue="llm", time_limit_seconds=300),
        JobKind(name="prospective_index", queue="hints", time_limit_seconds=150),
        JobKind(name="structural_classify", queue="structure", time_limit_seconds=300),
        JobKind(name="structural_dependency", queue="structure", time_limit_seconds=300),
        JobKind(name="summarize", queue="sessions", time_limit_seconds=1_800),
        JobKind(name="condense", queue="sessions", time_limit_seconds=300),
        JobKind(name="synthesize", queue="sessions", time_limit_seconds=600),
        JobKind(name="document_ingest", queue="ingest", time_limit_seconds=900),
        # A folder of a million files takes its time; reading them is the work of other jobs.
        JobKind(name="connector_sync", queue="light", time_limit_seconds=3_600),
        JobKind(name="embed", queue="vectors", time_limit_seconds=120),
        JobKind(name="embed_chunks", queue="vectors", time_limit_seconds=300),
        JobKind(name="index_session", queue="light", time_limit_seconds=300),
        JobKind(name="backfill", queue="light", time_limit_seconds=600),
        JobKind(name="trace_use", queue="light", time_limit_seconds=120),
        JobKind(name="label_session", queue="light", time_limit_seconds=120),
        JobKind(name="index_commits", queue="light", time_limit_seconds=300),
        JobKind(name="file_projects", queue="light", time_limit_seconds=600),
        JobKind(name="skill_enrich", queue="structure", time_limit_seconds=150),
        JobKind(name="skill_entities", queue="structure", time_limit_seconds=300),
        JobKind(name="skill_embed", queue="vectors", time_limit_seconds=120),
        JobKind(name="backup", queue="light", time_limit_seconds=900),
        JobKind(name="clean_texts", queue="light", time_limit_seconds=120),
        JobKind(name="follow_memory", queue="light", time_limit_seconds=120),
        JobKind(name="rewrite_store", queue="light", time_limit_seconds=900),
        JobKind(name="retention_sweep", queue="light", time_limit_seconds=300),
        JobKind(name="cluster_entities", queue="light", time_limit_seconds=300),
        JobKind(name="graph_upkeep", queue="light", time_limit_seconds=300),
        JobKind(name="umap_projection", queue="light", time_limit_seconds=120),
        JobKind(name="vector_index", queue="light", time_limit_seconds=900),
        JobKind(name="repair", queue="repairs", time_limit_seconds=1_800),
        JobKind(name="maintenance", queue="repairs", time_limit_seconds=1_800),
        JobKind(name="update_check", queue="light", time_limit_seconds=1_000),
        # Longer than a run may take, which ends itself.
        JobKind(name="task_run", queue="tasks", time_limit_seconds=660, runs_once=True),
    )
}
RUN_ONCE = tuple(kind.name for kind in KINDS.values() if kind.runs_once)

#: Where kinds wait that this version does not know; no worker takes jobs from it (placement.py).
DEFAULT_QUEUE = "later"
#: The last error of a job whose kind the worker did not know.
UNKNOWN_KIND = "unknown_kind"


def queue_of(kind: str) -> str:
    known = KINDS.get(kind)
    return known.queue if known else DEFAULT_QUEUE


def time_limit_of(kind: str) -> int:
    """Return how long a run of this kind may take, in seconds."""
    known = KINDS.get(kind)
    return known.time_limit_seconds if known else DEFAULT_LIMIT_SECONDS


def breaker_of(queue: str) -> str:
    """Return the queue under whose name the breaker of this queue is kept."""
    known = QUEUES.get(queue)
    return known.breaker or queue if known else queue


def queues_behind(breaker: str) -> list[str]:
    return [name for name in QUEUES if breaker_of(name) == breaker]
