"""Which entities a person has pinned or suppressed; `entities.pinned` and `pinned_at` mirror a pin."""

from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.graph.sql.visible import Visible

PUT = """
INSERT INTO entity_pinning (id, agent_id, entity_id, pin_type, weight_override, reason, created_at)
SELECT ?, agent_id, id, ?, ?, ?, ? FROM entities WHERE id = ? AND agent_id = ?
ON CONFLICT (agent_id, entity_id) DO UPDATE SET pin_type = excluded.pin_type,
    weight_override = excluded.weight_override, reason = excluded.reason, created_at = excluded.created_at"""
DELETE = "DELETE FROM entity_pinning WHERE entity_id = ? AND agent_id = ?"
_MIRROR = "UPDATE entities SET pinned = ?, pinned_at = ? WHERE id = ? AND agent_id = ?"
_PINNED = """
SELECT e.id, e.name, coalesce(e.pinned_at, '') AS pinned_at FROM entities e
WHERE e.agent_id = :agent AND e.pinned = 1 AND {entity} ORDER BY e.pinned_at DESC, name, id"""
_SUPPRESSED = """
SELECT e.id, e.name, p.created_at AS pinned_at FROM entity_pinning p JOIN entities e ON e.id = p.entity_id
WHERE p.agent_id = :agent AND p.pin_type = 'suppress' AND {entity} ORDER BY p.created_at DESC, e.name, e.id"""


class Pinned(NamedTuple):
    """An entity and since when it is pinned or suppressed."""

    id: str
    name: str
    pinned_at: str


def mirror(tx: WriteTx, entity_id: str, pinned_at: str | None, *, agent_id: str) -> bool:
    """Set since when an entity is pinned, None for not; False where the agent has no such entity."""
    return bool(tx.run(_MIRROR, (pinned_at is not None, pinned_at, entity_id, agent_id)))


def listed(tx: ReadTx, *, suppressed: bool, reader: Reader) -> list[Pinned]:
    """Return the pinned or the suppressed entities of the reader's agent, newest first."""
    visible = Visible.of(reader)
    sql = _SUPPRESSED if suppressed else _PINNED
    return tx.rows(Pinned, sql.format(entity=visible.entity()), visible.params)
