"""The numbers that the report is made of. Only reads; each is one look through an index where there is one."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row
from signet.queue import stats, transitions
from signet.queue.kinds import DEFAULT_QUEUE

#: The share of dead jobs is that of the last hour (DG-7).
RATE_HOURS = 1
#: A lease of this age that nobody prolongs is an anomaly (DG-8).
LEASE_MINUTES = 10
#: How far back changes of memories are counted.
MUTATION_DAYS = 7

#: Of summary_jobs only rows count that no job mirrors any more: the others are jobs already.
_ALONE = "NOT EXISTS (SELECT 1 FROM memory_jobs j WHERE j.id = s.id)"
#: A job waits since it is due: one that was given a fresh start does not, however old it is.
_SINCE = """MIN(CASE WHEN due_ms <= :wall
    THEN MAX(created_at, strftime('%Y-%m-%dT%H:%M:%fZ', due_ms / 1000.0, 'unixepoch')) END)"""
_PENDING = f"""
SELECT COUNT(*), {_SINCE} FROM memory_jobs
 WHERE status = 'pending' AND queue <> '{DEFAULT_QUEUE}'"""
_PENDING_SUMMARIES = f"""
SELECT COUNT(*), {_SINCE} FROM summary_jobs s
 WHERE status = 'pending' AND {_ALONE}"""
_ENDED = """
SELECT (SELECT COUNT(*) FROM memory_jobs WHERE status = 'completed' AND completed_at > :since) AS completed,
       (SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead' AND failed_at > :since) AS dead"""
_ENDED_SUMMARIES = f"""
SELECT COALESCE(SUM(status = 'done'), 0) AS completed, COALESCE(SUM(status = 'failed'), 0) AS dead
  FROM summary_jobs s WHERE status IN ('done', 'failed') AND updated_at > :since AND {_ALONE}"""
_DEAD = "SELECT COUNT(*) FROM memory_jobs WHERE status = 'dead'"
_DEAD_SUMMARIES = f"SELECT COUNT(*) FROM summary_jobs s WHERE status = 'failed' AND {_ALONE}"
_BY_KIND = """
SELECT job_type, status, COUNT(*) AS jobs FROM memory_jobs WHERE status = 'pending' GROUP BY job_type
UNION ALL SELECT job_type, status, COUNT(*) FROM memory_jobs WHERE status = 'leased' GROUP BY job_type
UNION ALL SELECT job_type, status, COUNT(*) FROM memory_jobs WHERE status = 'dead' GROUP BY job_type"""
#: A lease is held while its process is known and prolongs it; that is no question of its age. The monotonic clock
#: starts anew with the machine, so an end too far ahead is of an earlier start (see queue/transitions.py).
STALE = f"""status = 'leased' AND COALESCE(leased_at, '') < :before
   AND NOT (lease_until_ms BETWEEN :monotonic AND :monotonic + {transitions.LONGEST_LEASE_MS}
            AND EXISTS (SELECT 1 FROM processes p WHERE p.owner = lease_owner))"""
_STALE = f"SELECT COUNT(*) FROM memory_jobs WHERE {STALE}"
_MEMORIES = """
SELECT (SELECT COUNT(*) FROM memories) AS total,
       (SELECT COUNT(*) FROM memories INDEXED BY idx_memories_deleted_at WHERE is_deleted = 1) AS deleted"""
_HAS_FTS = "SELECT 1 FROM sqlite_master WHERE name = ?"
#: Answered from indexes alone: whether a vector is of the present text is the tracker's question (DG-13).
_EMBEDDED = """
SELECT COUNT(*) FROM memories m WHERE m.is_deleted = 0
   AND EXISTS (SELECT 1 FROM embeddings e WHERE e.source_type = 'memory' AND e.source_id = m.id)"""
#: Every process writes what came of its calls of providers (domain/analytics); a start of the daemon empties it.
_CALLS = "SELECT outcome, error, at FROM provider_outcomes ORDER BY seq DESC LIMIT ?"
KEPT_CALLS = 100
_MUTATIONS = """
SELECT COALESCE(SUM(event = 'recovered'), 0) AS recovers, COALESCE(SUM(event = 'deleted'), 0) AS deletes
  FROM memory_history WHERE created_at > ?"""
_CONNECTORS = """
SELECT COUNT(*) AS connectors, COALESCE(SUM(status = 'syncing'), 0) AS syncing, COUNT(last_error) AS errors,
       MIN(CASE WHEN last_error IS NOT NULL THEN updated_at END) AS oldest FROM connectors"""
_HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
#: While this index stands there are none: it is of exactly what makes rows equal.
_NO_DUPLICATES = (
    "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = 'idx_memories_content_hash_unique'"
)
#: Rows that may be merged when they are equal: of one owner, one scope and one visibility, not kept by a person,
#: and not replaced by something newer.
EQUAL = "content_hash, agent_id, visibility, COALESCE(scope, '')"
_DUPLICATES = f"""
SELECT COUNT(*) AS clusters, COALESCE(SUM(copies - 1), 0) AS excess FROM (
    SELECT COUNT(*) AS copies FROM memories
     WHERE is_deleted = 0 AND content_hash IS NOT NULL AND COALESCE(pinned, 0) = 0
       AND COALESCE(manual_override, 0) = 0
     GROUP BY {EQUAL} HAVING COUNT(*) > 1)"""
_PREDICTOR = """
SELECT p.*, (SELECT COUNT(*) FROM predictor_training_log) AS trainings FROM predictor_state p
 ORDER BY agent_id = 'default' DESC, agent_id LIMIT 1"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What waits, what ended in the last hour, what died and what hangs, of both queues."""

    depth: int = 0
    oldest_seconds: float = 0.0
    completed: int = 0
    died: int = 0
    dead: int = 0
    anomalies: int = 0
    by_kind: Mapping[str, Mapping[str, int]]
    last_error: Mapping[str, object] | None = None

    @property
    def dead_rate(self) -> float:
        """Return the share of the last hour's ended jobs that died, 0 when none ended."""
        ended = self.completed + self.died
        return self.died / ended if ended else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The last calls of models: how they ended, when one last went well, and why the last bad one did not."""

    total: int = 0
    successes: int = 0
    failures: int = 0
    timeouts: int = 0
    last_success_at: str | None = None
    last_error: str | None = None
    last_at: str | None = None

    @property
    def availability(self) -> float:
        """Return the share that went well, 1 when there were none."""
        return self.successes / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """How many rows are there twice or more, and in how many groups."""

    clusters: int = 0
    excess: int = 0


def queue(tx: ReadTx, *, now: datetime, monotonic_ms: int) -> Queue:
    """Count the jobs of both queues."""
    wall = {"wall": int(now.timestamp() * 1000)}
    since = {"since": clock.to_text(now - timedelta(hours=RATE_HOURS))}
    waiting = [_one(tx, sql, wall) for sql in (_PENDING, _PENDING_SUMMARIES)]
    ended = [_one(tx, sql, since) for sql in (_ENDED, _ENDED_SUMMARIES)]
    oldest = [clock.parsed(row[1]) for row in waiting]
    ages = [(now - at).total_seconds() for at in oldest if at is not None]
    by_kind: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for row in tx.all(_BY_KIND):
        by_kind[row["job_type"]][row["status"]] = row["jobs"]
    before = clock.to_text(now - timedelta(minutes=LEASE_MINUTES))
    return Queue(
        depth=sum(row[0] for row in waiting),
        oldest_seconds=max(ages, default=0.0),
        completed=sum(row["completed"] for row in ended),
        died=sum(row["dead"] for row in ended),
        dead=int(tx.value(_DEAD)) + int(tx.value(_DEAD_SUMMARIES)),
        anomalies=int(tx.value(_STALE, {"before": before, "monotonic": monotonic_ms})),
        by_kind=dict(by_kind),
        last_error=stats.last_error(tx),
    )


def memories(tx: ReadTx) -> tuple[int, int]:
    """Return how many memories there are, and how many of them are forgotten."""
    row = _one(tx, _MEMORIES)
    return row["total"], row["deleted"]


def database_bytes(tx: ReadTx) -> int:
    """Return the size of the database (DG-11)."""
    return int(tx.value("PRAGMA page_count")) * int(tx.value("PRAGMA page_size"))


def indexed_rows(tx: ReadTx, index: str = "memories_fts") -> int | None:
    """Return how many documents are physically in a full-text index, None when it is not there (DG-12)."""
    if tx.value(_HAS_FTS, (index,)) is None or tx.value(_HAS_FTS, (f"{index}_docsize",)) is None:
        return None
    return int(tx.value(f"SELECT COUNT(*) FROM {index}_docsize"))


def embedded(tx: ReadTx) -> int:
    """Return how many active memories have a vector; about a second for a million of them."""
    return int(tx.value(_EMBEDDED))


def calls(tx: ReadTx) -> Calls:
    """Return how the last hundred calls of models went (DG-14 to DG-16)."""
    rows = tx.all(_CALLS, (KEPT_CALLS,))
    found = [row["outcome"] for row in rows]
    good = (row["at"] for row in rows if row["outcome"] == "success")
    bad = (row["error"] for row in rows if row["outcome"] != "success")
    return Calls(
        total=len(rows),
        successes=found.count("success"),
        failures=found.count("failure"),
        timeouts=found.count("timeout"),
        last_success_at=next(good, None),
        last_error=next(bad, None),
        last_at=rows[0]["at"] if rows else None,
    )


def mutations(tx: ReadTx, *, now: datetime) -> tuple[int, int]:
    """Return how many memories were recovered and deleted in the last seven days."""
    row = _one(tx, _MUTATIONS, (clock.to_text(now - timedelta(days=MUTATION_DAYS)),))
    return row["recovers"], row["deletes"]


def connectors(tx: ReadTx) -> Row | None:
    """Return the counts of connectors and the time of the oldest error; None without the table."""
    return _one(tx, _CONNECTORS) if tx.value(_HAS_TABLE, ("connectors",)) else None


def duplicates(tx: ReadTx) -> Duplicates:
    """Count equal memories that could be one."""
    if tx.value(_NO_DUPLICATES):
        return Duplicates()
    row = _one(tx, _DUPLICATES)
    return Duplicates(clusters=row["clusters"], excess=row["excess"])


def predictor(tx: ReadTx) -> Row | None:
    """Return what is known of the predictor, None when it never ran."""
    return tx.one(_PREDICTOR) if tx.value(_HAS_TABLE, ("predictor_state",)) else None


def _one(tx: ReadTx, sql: str, params: object = ()) -> Row:
    row = tx.one(sql, params)  # type: ignore[arg-type]  # handed through
    assert row is not None  # an aggregate
    return row
