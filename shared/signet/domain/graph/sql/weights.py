"""How much aspects and dependencies weigh, and what changes that."""

from typing import NamedTuple

from signet.db.dialect import LIST, THEN_JOIN

_HOLDS_CONSTRAINT = """
EXISTS (SELECT 1 FROM entity_attributes c
        WHERE c.aspect_id = s.id AND c.kind = 'constraint' AND c.status = 'active')"""
_WEIGHT = f"""
s.id, s.weight, s.updated_at, {_HOLDS_CONSTRAINT} AS holds_constraint,
NOT EXISTS (SELECT 1 FROM entity_pinning p
            WHERE p.agent_id = s.agent_id AND p.entity_id = s.entity_id AND p.pin_type = 'suppress') AS is_shown"""
OF_MEMORIES = f"""
SELECT DISTINCT a.source_memory_id, {_WEIGHT}
FROM entity_attributes a {THEN_JOIN} entity_aspects s ON s.id = a.aspect_id
WHERE a.source_memory_id IN {LIST} AND a.status = 'active' AND s.agent_id = ?"""
ONE = f"SELECT {_WEIGHT} FROM entity_aspects s WHERE s.id = ? AND s.agent_id = ?"
STALE = f"""
SELECT {_WEIGHT} FROM entity_aspects s
WHERE s.updated_at < :before AND (:agent IS NULL OR s.agent_id = :agent)
  AND s.weight > CASE WHEN {_HOLDS_CONSTRAINT} THEN max(:low, :floor) ELSE :low END"""
SET = "UPDATE entity_aspects SET weight = ?, updated_at = ? WHERE id = ?"
SET_UNTOUCHED = f"{SET} AND updated_at = ?"
STEP = """
UPDATE entity_dependencies SET strength = min(1.0, max(0.0, strength + ?)),
       confidence = min(1.0, max(0.0, coalesce(confidence, 0.7) + ?)), updated_at = ?
 WHERE id = ? AND agent_id = ?"""


class Weight(NamedTuple):
    """The weight of an aspect, and what limits how it moves: 0 or 1 whether it does."""

    id: str
    weight: float
    updated_at: str
    holds_constraint: int
    is_shown: int
