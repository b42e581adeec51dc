"""How the queue is doing, from rows: counts come from partial indexes, ages from one seek."""

import json
from dataclasses import dataclass
from datetime import datetime

from signet.db import ReadTx
from signet.queue.kinds import QUEUES
from signet.queue.states import Status

_COUNTS = "SELECT queue, job_type, status, COUNT(*) AS jobs FROM memory_jobs GROUP BY queue, job_type, status"
_OLDEST = """
SELECT MIN(due_ms) FROM memory_jobs
 WHERE status = 'pending' AND due_ms <= ? AND queue IN (SELECT value FROM json_each(?))"""
_LAST_ERROR = """
SELECT job_type, error, last_error_code, failed_at FROM memory_jobs
 WHERE status = 'dead' ORDER BY failed_at DESC LIMIT 1"""
_SUMMARY = "SELECT status, COUNT(*) FROM summary_jobs GROUP BY status"
#: What the states of summary_jobs are called in answers.
_SUMMARY_STATES = {
    "pending": "pending",
    "processing": "leased",
    "done": "completed",
    "failed": "dead",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """Jobs of one queue, kind and status."""

    queue: str
    kind: str
    status: Status
    jobs: int


def depths(tx: ReadTx) -> list[Depth]:
    """Return the number of jobs by queue, kind and status."""
    return [
        Depth(queue=row[0], kind=row[1], status=Status(row[2]), jobs=row[3])
        for row in tx.all(_COUNTS)
    ]


def by_status(counts: list[Depth]) -> dict[str, int]:
    """Return the number of jobs in each state, 0 where there is none."""
    total = dict.fromkeys((status.value for status in Status), 0)
    for depth in counts:
        total[depth.status.value] += depth.jobs
    return total


def oldest_due_seconds(tx: ReadTx, *, now: datetime) -> float:
    """Return for how long the oldest due job of our queues has been waiting, 0 when nothing waits."""
    wall = int(now.timestamp() * 1000)
    oldest = tx.value(_OLDEST, (wall, json.dumps(list(QUEUES))))
    return 0.0 if oldest is None else (wall - oldest) / 1000


def last_error(tx: ReadTx) -> dict[str, object] | None:
    """Return kind, text, code and time of the job that died last."""
    row = tx.one(_LAST_ERROR)
    if row is None:
        return None
    return {
        "kind": row["job_type"],
        "error": row["error"],
        "code": row["last_error_code"],
        "at": row["failed_at"],
    }


def summary_by_status(tx: ReadTx) -> dict[str, int]:
    """Return the number of session summaries in each state, under the names of `Status`."""
    total = dict.fromkeys((status.value for status in Status), 0)
    for row in tx.all(_SUMMARY):
        total[_SUMMARY_STATES[row[0]]] += row[1]
    return total
