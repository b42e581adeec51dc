"""How far backfill is."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx
from signet.domain.backfill import look, start
from signet.domain.backfill.sql import sessions as sql
from signet.wire import backfill as wire

#: Sessions that could not be read, of which so many are named.
FAILURES = 20
#: From so many sessions on the rest is told from how long these took.
LEAST_READ = 10


def status(tx: ReadTx, *, now: datetime) -> wire.Backfill:
    """Return how far the last run is; all zero before the first."""
    run = tx.value(sql.LAST_RUN)
    totals = {row.state: row for row in tx.rows(sql.TotalRow, sql.TOTALS, (run,))}
    waiting = totals.get("waiting")
    done = [row for state, row in totals.items() if state != "waiting"]
    index, summaries = tx.row(sql.BehindRow, sql.BEHIND) or sql.BehindRow(0, 0)
    failed = tx.rows(sql.FailedRow, sql.FAILED, (run, FAILURES))
    return {
        "state": _state(tx, run, waiting, index + summaries),
        "startedAt": run,
        "sessions": sum(row.sessions for row in totals.values()),
        "waiting": waiting.sessions if waiting else 0,
        "read": _count(totals, "read"),
        "known": _count(totals, "known"),
        "failed": _count(totals, "failed"),
        "indexing": index,
        "summarizing": summaries,
        "bytes": sum(row.bytes for row in totals.values()),
        "bytesRead": sum(row.bytes for row in done),
        "seconds": _left(waiting, done, index + summaries, now) if waiting else 0,
        "failures": [
            {"harness": one.harness, "path": one.path, "reason": one.detail or ""} for one in failed
        ],
    }


def _state(
    tx: ReadTx, run: str | None, waiting: sql.TotalRow | None, behind: int
) -> wire.BackfillState:
    if run is None:
        return "none"
    if waiting is not None:
        return "stopped" if start.is_cut_off(tx) else "running"
    return "finishing" if behind else "done"


def _count(totals: dict[str, sql.TotalRow], state: str) -> int:
    return totals[state].sessions if state in totals else 0


def _left(waiting: sql.TotalRow, done: list[sql.TotalRow], behind: int, now: datetime) -> int:
    """Return about how many seconds are left: by what was done so far, else by what was measured elsewhere."""
    first = min((found for row in done if (found := clock.parsed(row.first_at or ""))), default=now)
    last = max((found for row in done if (found := clock.parsed(row.last_at or ""))), default=now)
    read, took = sum(row.sessions for row in done), (last - first).total_seconds()
    if read < LEAST_READ or took <= 0:
        return look.seconds(waiting.sessions + behind, waiting.bytes)
    bytes_read = sum(row.bytes for row in done) or 1
    share = max(waiting.bytes / bytes_read, waiting.sessions / read / 2)
    return round(took * share)
