"""The statements of `memory_hints`."""

from signet.db.dialect import THEN_JOIN, list_rows

INSERT = (
    "INSERT INTO memory_hints (id, memory_id, agent_id, hint, created_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)
DELETE = "DELETE FROM memory_hints WHERE memory_id = ?"
ANY = "SELECT 1 FROM memory_hints WHERE memory_id = ? LIMIT 1"
#: Which of these memories are active and have no hints, in this order.
WITHOUT = f"""
SELECT m.id FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
 WHERE m.is_deleted = 0 AND NOT EXISTS (SELECT 1 FROM memory_hints h WHERE h.memory_id = m.id)
 ORDER BY j.key"""
