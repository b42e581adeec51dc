"""Statistics of the queue, from rows.

Open and dead jobs are counted through partial indexes, whose size is that of the backlog. Rates use the end of the
index of completed jobs, and completed jobs are counted by index entries.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, Row, columns
from signet.db.dialect import LIST, list_rows
from signet.errors import PROVIDER_FAILURES, ProviderDown
from signet.queue import transitions
from signet.queue.enqueue import BULK, NORMAL, NOW
from signet.queue.kinds import HAS_FAILED, QUEUES, JobStatus, queues_behind

#: A lease holds while its process is alive and extends it, whatever its age. The monotonic clock restarts with the
#: machine, so an end too far ahead is from an earlier start (see transitions.py).
STALE = f"""status = 'leased' AND COALESCE(leased_at, '') < :before
   AND NOT (lease_until_ms BETWEEN :monotonic AND :monotonic + {transitions.LONGEST_LEASE_MS}
            AND EXISTS (SELECT 1 FROM processes p WHERE p.owner = lease_owner))"""

#: No row stays in `failed`, so no index contains it.
_RESTING = (JobStatus.PENDING, JobStatus.LEASED, JobStatus.COMPLETED, JobStatus.DEAD)
_COUNTS = " UNION ALL ".join(
    f"SELECT queue, job_type AS kind, '{status}' AS status, COUNT(*) AS jobs FROM memory_jobs"
    f" WHERE status = '{status}' GROUP BY 1, 2"
    for status in _RESTING
)
_TOTALS = " UNION ALL ".join(
    f"SELECT '{status}', COUNT(*) FROM memory_jobs WHERE status = '{status}'" for status in _RESTING
)
_OPEN = """
SELECT queue, job_type, status, due_ms > ? AS is_delayed, COUNT(*) AS jobs, MIN(due_ms) AS since
  FROM memory_jobs WHERE status = 'pending' GROUP BY queue, job_type, status, is_delayed
UNION ALL
SELECT queue, job_type, status, 0, COUNT(*), NULL FROM memory_jobs WHERE status = 'leased' GROUP BY 1, 2, 3
UNION ALL
SELECT queue, job_type, status, 0, COUNT(*), NULL FROM memory_jobs WHERE status = 'dead' GROUP BY 1, 2, 3"""
#: Rates cover these last seconds, and at most this number of jobs.
RATE_SECONDS = 120
RATE_JOBS = 10_000
_RECENT = """
SELECT queue, job_type, COUNT(*) AS jobs, MIN(completed_at) AS since FROM (
    SELECT queue, job_type, completed_at FROM memory_jobs
     WHERE status = 'completed' AND completed_at > ? ORDER BY completed_at DESC LIMIT ?)
 GROUP BY queue, job_type"""
_OLDEST = f"""
SELECT MIN(due_ms) FROM memory_jobs
 WHERE status = 'pending' AND due_ms <= ? AND queue IN {LIST}"""
_LAST_ERROR = f"""
SELECT job_type AS kind, error, last_error_code AS code, failed_at AS at FROM memory_jobs
 WHERE {HAS_FAILED} ORDER BY failed_at DESC LIMIT 1"""
_DELAYED = """
SELECT queue, COUNT(*) FROM memory_jobs WHERE status = 'pending' AND due_ms > ? GROUP BY queue"""
_CODES = "SELECT last_error_code, COUNT(*) FROM memory_jobs WHERE status = 'dead' GROUP BY last_error_code"
_LEASED = """
SELECT id, job_type, lease_owner, leased_at, attempts FROM memory_jobs WHERE status = 'leased'
 ORDER BY leased_at, id"""
_BREAKERS = "SELECT provider, state, failures, retry_at_ms, probe, updated_at FROM provider_breakers ORDER BY provider"
#: Jobs whose provider is offline are due last.
_WHY = f"""
SELECT error FROM (SELECT error, last_error_code FROM memory_jobs WHERE status = 'pending' AND queue = ?
                      AND priority = ? ORDER BY due_ms DESC, id DESC LIMIT 100)
 WHERE last_error_code IN {LIST} LIMIT 1"""
_WAITING = f"""
SELECT COUNT(*) FROM memory_jobs
 WHERE status = 'pending' AND queue IN (SELECT queue.value FROM {list_rows()} AS queue)"""
_AWAY = json.dumps([ProviderDown.code, *PROVIDER_FAILURES])
#: The result of the last job of a kind.
_RESULT = """
SELECT result FROM memory_jobs WHERE job_type = ? AND status = 'completed'
 ORDER BY completed_at DESC LIMIT 1"""
_RAN = f"""
SELECT 1 FROM memory_jobs WHERE job_type IN {LIST}
   AND (status IN ('pending', 'leased') OR created_at >= ?) LIMIT 1"""
_SUMMARY = "SELECT status, COUNT(*) FROM summary_jobs GROUP BY status"
#: Names of the states of summary_jobs in answers.
_SUMMARY_STATES = {
    "pending": "pending",
    "processing": "leased",
    "done": "completed",
    "failed": "dead",
}


class Depth(NamedTuple):
    queue: str
    kind: str
    status: JobStatus
    jobs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of one kind of job: `waiting` ones are due, `delayed` ones are due later."""

    queue: str
    kind: str
    waiting: int
    delayed: int
    running: int
    dead: int
    #: How long the oldest due job has been waiting.
    oldest_seconds: float
    #: Jobs completed per second in the last minutes.
    per_second: float

    @property
    def eta_seconds(self) -> float | None:
        """Return the seconds until the due jobs are finished at this rate; None if no job finishes."""
        left = self.waiting + self.running
        if not left:
            return 0.0
        return left / self.per_second if self.per_second else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """Queues that are stopped because their provider did not answer."""

    name: str
    queues: tuple[str, ...]
    state: str
    failures: int
    #: The time of the next probe (wall clock).
    retry_at_ms: int | None
    error: str | None
    #: The time of the provider's first failure.
    since: str
    #: Jobs of these queues that are not running.
    waiting: int


def depths(tx: ReadTx) -> list[Depth]:
    """Return the number of jobs by queue, kind and status."""
    return tx.rows(Depth, _COUNTS)


def totals(tx: ReadTx) -> dict[str, int]:
    """Return the number of jobs in each state; counts index entries and reads no row."""
    return {JobStatus.FAILED.value: 0} | {row[0]: row[1] for row in tx.all(_TOTALS)}


def progress(tx: ReadTx, *, now: datetime) -> list[Progress]:
    """Return the progress of every kind of job with an open, dead or recent one."""
    wall = int(now.timestamp() * 1000)
    since = clock.to_text(now - timedelta(seconds=RATE_SECONDS))
    recent = {
        (row["queue"], row["job_type"]): (row["jobs"], clock.parse(row["since"]))
        for row in tx.all(_RECENT, (since, RATE_JOBS))
    }
    found: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for row in tx.all(_OPEN, (wall,)):
        state = "delayed" if row["is_delayed"] else row["status"]
        seen = found[row["queue"], row["job_type"]]
        seen[state] = row["jobs"]
        if state == JobStatus.PENDING:
            seen["since"] = row["since"]
    return [
        Progress(
            queue=queue,
            kind=kind,
            waiting=seen.get(JobStatus.PENDING, 0),
            delayed=seen.get("delayed", 0),
            running=seen.get(JobStatus.LEASED, 0),
            dead=seen.get(JobStatus.DEAD, 0),
            oldest_seconds=(wall - seen.get("since", wall)) / 1000,
            per_second=_rate(recent.get((queue, kind)), now),
        )
        for queue, kind in sorted(recent.keys() | found.keys())
        for seen in (found.get((queue, kind), {}),)
    ]


def by_kind(found: Sequence[Progress]) -> list[Progress]:
    """Add up the queues of each kind: after a change of version a kind may wait in two."""
    kinds: dict[str, Progress] = {}
    for one in found:
        known = kinds.get(one.kind)
        if known is None:
            kinds[one.kind] = one
            continue
        kinds[one.kind] = replace(
            known if known.queue in QUEUES else one,
            waiting=known.waiting + one.waiting,
            delayed=known.delayed + one.delayed,
            running=known.running + one.running,
            dead=known.dead + one.dead,
            oldest_seconds=max(known.oldest_seconds, one.oldest_seconds),
            per_second=known.per_second + one.per_second,
        )
    return list(kinds.values())


def unserved(found: Sequence[Progress]) -> list[dict[str, object]]:
    """Return the waiting jobs that no worker of this version accepts, by queue and kind."""
    return [
        {"queue": one.queue, "kind": one.kind, "jobs": one.waiting + one.delayed}
        for one in found
        if one.queue not in QUEUES and one.waiting + one.delayed
    ]


def _rate(recent: tuple[int, datetime] | None, now: datetime) -> float:
    """Return jobs per second since the first of the recent ones; a single one has no rate."""
    if recent is None:
        return 0.0
    jobs, since = recent
    seconds = (now - since).total_seconds() if jobs > 1 else RATE_SECONDS
    return jobs / max(seconds, 1.0)


def oldest_due_seconds(tx: ReadTx, *, now: datetime) -> float:
    """Return how long the oldest due job of our queues has been waiting, 0 without one."""
    wall = int(now.timestamp() * 1000)
    oldest = tx.value(_OLDEST, (wall, json.dumps(list(QUEUES))))
    return 0.0 if oldest is None else (wall - oldest) / 1000


def delayed(tx: ReadTx, *, now: datetime) -> dict[str, int]:
    """Count the jobs of each queue that are due later."""
    return dict(tx.tuples(_DELAYED, (int(now.timestamp() * 1000),)))


def last_error(tx: ReadTx) -> dict[str, object] | None:
    """Return kind, text, code and time of the newest dead job."""
    row = tx.one(_LAST_ERROR)
    return None if row is None else dict(row)


def last_result(tx: ReadTx, kind: str) -> dict[str, object]:
    """Return the result of the last completed job of a kind, or an empty one before the first."""
    return columns.json_object(tx.value(_RESULT, (kind,)))


def ran_since(tx: ReadTx, kinds: Sequence[str], since: datetime) -> bool:
    """Return whether a job of these kinds waits, runs, or was created since an instant."""
    return tx.value(_RAN, (json.dumps(list(kinds)), clock.to_text(since))) is not None


def error_codes(tx: ReadTx) -> dict[str, int]:
    """Count the dead jobs by error code, most first."""
    found: Counter[str] = Counter()
    for row in tx.all(_CODES):
        found[row[0] or "unknown"] += row[1]
    return dict(found.most_common())


def leased(tx: ReadTx) -> list[Row]:
    """Return id, kind, owner and start of every running job, oldest first."""
    return tx.all(_LEASED)


def breakers(tx: ReadTx) -> list[Breaker]:
    """Return the breakers that are not closed; each has the name of its first queue."""
    return [
        Breaker(
            name=row["provider"],
            queues=(queues := tuple(queues_behind(row["provider"]))),
            state=row["state"],
            failures=row["failures"],
            retry_at_ms=row["retry_at_ms"],
            error=_why(tx, row["provider"]),
            since=row["updated_at"],
            waiting=tx.value(_WAITING, (json.dumps(queues),)),
        )
        for row in tx.all(_BREAKERS)
        if row["state"] != "closed"
    ]


def _why(tx: ReadTx, breaker: str) -> str | None:
    """Return the provider's last message behind a breaker, from the errors of waiting jobs."""
    for queue in queues_behind(breaker):
        for level in (NOW, NORMAL, BULK):
            found = tx.value(_WHY, (queue, level, _AWAY))
            if found is not None:
                return str(found)
    return None


def summary_by_status(tx: ReadTx) -> dict[str, int]:
    """Return the number of session summaries in each state, under the names of `JobStatus`."""
    total = dict.fromkeys((status.value for status in JobStatus), 0)
    for row in tx.all(_SUMMARY):
        total[_SUMMARY_STATES[row[0]]] += row[1]
    return total
