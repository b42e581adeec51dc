"""Tasks in the graph that have run out, and those that need not be kept any longer (KG-30, KG-31)."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx

_CANCEL = """
UPDATE task_meta SET status = 'cancelled', completed_at = ?1, updated_at = ?1 WHERE entity_id IN (
  SELECT entity_id FROM task_meta
  WHERE status IN ('open', 'in_progress', 'blocked') AND expires_at < ?1 ORDER BY expires_at LIMIT ?2)
"""
_OVER = """
SELECT t.entity_id FROM task_meta t JOIN entities e ON e.id = t.entity_id
WHERE t.status IN ('done', 'cancelled') AND t.retention_until < ? AND e.pinned = 0
  AND NOT EXISTS (SELECT 1 FROM entity_pinning p WHERE p.entity_id = t.entity_id)
ORDER BY t.retention_until LIMIT ?
"""


def cancel_expired(tx: WriteTx, *, now: datetime, limit: int) -> int:
    """Cancel open tasks whose time is over; return how many."""
    return tx.run(_CANCEL, (clock.to_text(now), limit))


def over(tx: ReadTx, *, now: datetime, limit: int) -> list[str]:
    """Return ended tasks that are kept no longer, the oldest first; never one that a person has pinned (KG-22)."""
    return [row[0] for row in tx.all(_OVER, (clock.to_text(now), limit))]
