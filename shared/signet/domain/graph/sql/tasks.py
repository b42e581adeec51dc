"""Entities of type task, and when they end."""

from signet.db import ReadTx, WriteTx

_CANCEL = """
UPDATE task_meta SET status = 'cancelled', completed_at = ?1, updated_at = ?1 WHERE entity_id IN (
  SELECT entity_id FROM task_meta
  WHERE status IN ('open', 'in_progress', 'blocked') AND expires_at < ?1 ORDER BY expires_at LIMIT ?2)"""
_ENDED = """
SELECT t.entity_id FROM task_meta t JOIN entities e ON e.id = t.entity_id
WHERE t.status IN ('done', 'cancelled') AND t.retention_until < ? AND e.pinned = 0
  AND NOT EXISTS (SELECT 1 FROM entity_pinning p WHERE p.entity_id = t.entity_id)
ORDER BY t.retention_until LIMIT ?"""


def cancel_expired(tx: WriteTx, *, at: str, limit: int) -> int:
    """Cancel open tasks that have expired; return how many."""
    return tx.run(_CANCEL, (at, limit))


def ended(tx: ReadTx, *, at: str, limit: int) -> list[str]:
    """Return ended tasks whose retention is over and that nobody has pinned, the oldest first."""
    return [row[0] for row in tx.tuples(_ENDED, (at, limit))]
