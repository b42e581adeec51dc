"""Tasks in the graph that have run out, and those that need not be kept any longer (KG-30, KG-31)."""

import json
from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx

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
_OPEN = """
SELECT e.name, t.status, t.priority, t.due_at FROM task_meta t JOIN entities e ON e.id = t.entity_id
WHERE t.status IN ('open', 'in_progress', 'blocked') AND e.agent_id = ? AND (
  e.id IN (SELECT value FROM json_each(?2)) OR EXISTS (
    SELECT 1 FROM entity_dependencies d
    WHERE d.source_entity_id IN (SELECT value FROM json_each(?2)) AND d.target_entity_id = e.id
       OR d.target_entity_id IN (SELECT value FROM json_each(?2)) AND d.source_entity_id = e.id))
ORDER BY t.due_at IS NULL, t.due_at, e.name LIMIT ?
"""


def open_of(tx: ReadTx, entity_ids: Sequence[str], *, agent_id: str, limit: int) -> list[Row]:
    """Return the open tasks among these entities and one edge away, the next due first; done ones never (KG-32).

    Each is its name, status, priority and `due_at`.
    """
    return tx.all(_OPEN, (agent_id, json.dumps(list(entity_ids)), limit))


def cancel_expired(tx: WriteTx, *, now: datetime, limit: int) -> int:
    """Cancel open tasks whose time is over; return how many."""
    return tx.run(_CANCEL, (clock.to_text(now), limit))


def over(tx: ReadTx, *, now: datetime, limit: int) -> list[str]:
    """Return ended tasks that are kept no longer, the oldest first; never one that a person has pinned (KG-22)."""
    return [row[0] for row in tx.all(_OVER, (clock.to_text(now), limit))]
