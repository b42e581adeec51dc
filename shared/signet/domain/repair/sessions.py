"""Sessions that were read without leaving a summary: read again."""

from collections.abc import Sequence

from signet.db import ReadTx, Row, WriteTx
from signet.domain.repair import choice
from signet.domain.repair.models import Done, Order
from signet.domain.repair.sql import sessions as sql
from signet.domain.summaries import requests
from signet.queue import Status, removal

SHOWN = 20


def preview(tx: ReadTx, order: Order) -> Done:
    """Show which sessions would be read again."""
    rows = _skipped(tx, order)
    message = f"dry run: would read {len(rows)} session(s) again"
    return Done(affected=len(rows), message=message, details={"sample": _sample(rows)})


def backfill(tx: WriteTx, order: Order) -> Done:
    """Queue the reading of sessions whose job is done and left no summary.

    A session that was found to say nothing is not read again: it would be found so again.
    """
    rows = [row for row in _skipped(tx, order) if _again(tx, row, order)]
    message = f"requeued {len(rows)} session(s) without a summary"
    return Done(affected=len(rows), message=message, details={"sample": _sample(rows)})


def _skipped(tx: ReadTx, order: Order) -> list[Row]:
    limit = order.number("limit")
    return tx.all(sql.SKIPPED, {**choice.parameters(order.chosen), "limit": limit})


def _again(tx: WriteTx, row: Row, order: Order) -> bool:
    """Put the job of the same id in the place of the one that is done."""
    removal.delete_ended(tx, Status.COMPLETED, [row["id"]])
    return requests.restart(tx, row["id"], now=order.now)


def _sample(rows: Sequence[Row]) -> list[dict[str, object]]:
    return [
        {"id": row["id"], "session": row["session_id"], "at": row["completed_at"]}
        for row in rows[:SHOWN]
    ]
