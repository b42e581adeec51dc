"""Sessions that were read without leaving a summary: read again."""

from collections.abc import Sequence

from signet.db import ReadTx, Row, WriteTx
from signet.domain.repair import choice
from signet.domain.repair.models import Done, Order
from signet.domain.summaries import requests
from signet.domain.summaries.requests import KIND as SUMMARIZE

SHOWN = 20

#: The newest job of a session that is done, when no summary of that session stands and its transcript does.
_SKIPPED = f"""
SELECT s.id, s.session_id, s.agent_id, s.completed_at, s.max_attempts, j.result FROM summary_jobs s
  LEFT JOIN memory_jobs j ON j.id = s.id
 WHERE s.status = 'done' AND s.transcript = ''
   AND {choice.condition(id="s.id", at="COALESCE(s.completed_at, s.created_at)")}
   AND EXISTS (SELECT 1 FROM session_transcripts t WHERE t.agent_id = s.agent_id AND t.session_key = s.session_id)
   AND NOT EXISTS (SELECT 1 FROM session_summaries y
                    WHERE y.agent_id = s.agent_id AND y.session_key = s.session_id AND y.depth = 0)
   AND NOT EXISTS (SELECT 1 FROM summary_jobs later WHERE later.agent_id = s.agent_id
                      AND later.session_id = s.session_id AND later.created_at > s.created_at)
   AND NOT EXISTS (SELECT 1 FROM memory_jobs open WHERE open.status IN ('pending', 'leased')
                      AND open.dedupe_key = '{SUMMARIZE}:' || s.agent_id || ':' || s.session_id)
   AND COALESCE(j.result, '') NOT LIKE '%not_significant%'
 ORDER BY s.created_at, s.id LIMIT :limit"""
_GONE = "DELETE FROM memory_jobs WHERE id = ? AND status = 'completed'"


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
    return tx.all(_SKIPPED, {**choice.parameters(order.chosen), "limit": limit})


def _again(tx: WriteTx, row: Row, order: Order) -> bool:
    """Put the job of the same id in the place of the one that is done."""
    tx.run(_GONE, (row["id"],))
    return requests.restart(tx, row["id"], now=order.now)


def _sample(rows: Sequence[Row]) -> list[dict[str, object]]:
    return [
        {"id": row["id"], "session": row["session_id"], "at": row["completed_at"]}
        for row in rows[:SHOWN]
    ]
