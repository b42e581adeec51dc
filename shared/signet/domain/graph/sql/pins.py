"""Which entities a person has pinned or suppressed; `entities.pinned` and `pinned_at` mirror a pin."""

PUT = """
INSERT INTO entity_pinning (id, agent_id, entity_id, pin_type, weight_override, reason, created_at)
SELECT ?, agent_id, id, ?, ?, ?, ? FROM entities WHERE id = ? AND agent_id = ?
ON CONFLICT (agent_id, entity_id) DO UPDATE SET pin_type = excluded.pin_type,
    weight_override = excluded.weight_override, reason = excluded.reason, created_at = excluded.created_at"""
DELETE = "DELETE FROM entity_pinning WHERE entity_id = ? AND agent_id = ?"
MIRROR = "UPDATE entities SET pinned = ?, pinned_at = ? WHERE id = ? AND agent_id = ?"
PINNED = """
SELECT e.id, e.name, coalesce(e.pinned_at, '') AS pinned_at FROM entities e
WHERE e.agent_id = :agent AND e.pinned = 1 AND {entity:e} ORDER BY e.pinned_at DESC, name, id"""
SUPPRESSED = """
SELECT e.id, e.name, p.created_at AS pinned_at FROM entity_pinning p JOIN entities e ON e.id = p.entity_id
WHERE p.agent_id = :agent AND p.pin_type = 'suppress' AND {entity:e} ORDER BY p.created_at DESC, e.name, e.id"""
