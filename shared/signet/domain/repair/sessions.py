"""Process sessions without a summary again."""

from signet.db import Row, WriteTx
from signet.domain.repair import rows
from signet.domain.repair.models import Done, Order
from signet.domain.repair.sql import sessions as sql
from signet.domain.summaries import requests
from signet.queue import Status, removal


def _shown(row: Row) -> dict[str, object]:
    return {"id": row["id"], "session": row["session_id"], "at": row["completed_at"]}


_skipped = rows.chosen(sql.SKIPPED, limit="limit")
preview = rows.previewing(_skipped, "read {} session(s) again", _shown)


def backfill(tx: WriteTx, order: Order) -> Done:
    """Queue sessions whose job completed without a summary.

    A session without content is skipped: the result would be the same.
    """
    again = [row for row in _skipped(tx, order) if _again(tx, row, order)]
    message = f"requeued {len(again)} session(s) without a summary"
    return Done(affected=len(again), message=message, details=rows.sample(again, _shown))


def _again(tx: WriteTx, row: Row, order: Order) -> bool:
    """Replace the completed job of the same ID."""
    removal.delete_ended(tx, Status.COMPLETED, [row["id"]])
    return requests.restart(tx, row["id"], now=order.now)
