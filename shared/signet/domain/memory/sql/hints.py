"""The statements of `memory_hints`."""

INSERT = (
    "INSERT INTO memory_hints (id, memory_id, agent_id, hint, created_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)
DELETE = "DELETE FROM memory_hints WHERE memory_id = ?"
ANY = "SELECT 1 FROM memory_hints WHERE memory_id = ? LIMIT 1"
#: Which of these memories are active and have no hints, in this order.
WITHOUT = """
SELECT m.id FROM json_each(?) j JOIN memories m ON m.id = j.value
 WHERE m.is_deleted = 0 AND NOT EXISTS (SELECT 1 FROM memory_hints h WHERE h.memory_id = m.id)
 ORDER BY j.key"""
