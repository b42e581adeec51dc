"""The errors of this life of the daemon, read back."""

from dataclasses import dataclass

from signet.db import ReadTx
from signet.domain.activity import sql
from signet.observe.record import RecordedError
from signet.observe.taxonomy import Stage
from signet.wire.analytics import NotedError


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFilter:
    """Which errors are asked for."""

    stage: Stage | None = None
    since: str | None = None
    limit: int = 50


def newest(tx: ReadTx, wanted: ErrorFilter) -> list[NotedError]:
    """Return the newest errors that pass the filter, oldest first."""
    bounds = {"stage": wanted.stage, "since": wanted.since, "limit": wanted.limit}
    rows = tx.rows(RecordedError, sql.ERRORS, bounds)
    return [_answer(row) for row in reversed(rows)]


def by_code(tx: ReadTx, stage: Stage | None = None) -> dict[str, int]:
    """Return how many errors of each code are kept, of all stages or of one."""
    return dict(tx.tuples(sql.ERROR_COUNTS, {"stage": stage}))


def _answer(row: RecordedError) -> NotedError:
    found: NotedError = {
        "timestamp": row.timestamp,
        "stage": row.stage,
        "code": row.code,
        "message": row.message,
    }
    if row.request_id:
        found["requestId"] = row.request_id
    if row.memory_id:
        found["memoryId"] = row.memory_id
    if row.actor:
        found["actor"] = row.actor
    return found
