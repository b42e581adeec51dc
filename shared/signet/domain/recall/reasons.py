"""The memories that say why: of type rationale, about what a decision is about (REC-24)."""

import json
from collections.abc import Sequence

from signet.db import ReadTx
from signet.db.visibility import Where

_ENTITIES_OF = """
SELECT id, mentions FROM entities WHERE id IN (
  SELECT entity_id FROM memory_entity_mentions WHERE memory_id IN (SELECT value FROM json_each(?)))
"""
#: Entities with so few mentions are asked for their reasons: a mention costs 3 µs, one of the newest reasons 0.8 µs
#: (measured at 50,000 memories).
FEW_MENTIONS = 200
_AMONG_MENTIONS = f"""
SELECT DISTINCT m.seq, m.created_at FROM (
  SELECT memory_id FROM memory_entity_mentions
  WHERE entity_id IN (SELECT value FROM json_each(?)) LIMIT {2 * FEW_MENTIONS}) r
CROSS JOIN memories m ON m.id = r.memory_id WHERE +m.type = 'rationale' AND {{where}}
ORDER BY m.created_at DESC, m.seq DESC LIMIT ? + 0
"""
#: Reasons are few: where entities are mentioned often it begins with the newest reasons (by the index of types).
_AMONG_NEWEST = """
SELECT m.seq FROM (SELECT seq FROM memories WHERE type = 'rationale' ORDER BY seq DESC LIMIT 500) t
CROSS JOIN memories m ON m.seq = t.seq WHERE EXISTS (
  SELECT 1 FROM memory_entity_mentions r
  WHERE r.memory_id = m.id AND r.entity_id IN (SELECT value FROM json_each(?)))
  AND {where}
ORDER BY m.created_at DESC, m.seq DESC LIMIT ? + 0
"""


def of(tx: ReadTx, memory_ids: Sequence[str], where: Where, limit: int) -> list[int]:
    """Return memories of type rationale that share an entity with one of these, newest first."""
    entities = tx.all(_ENTITIES_OF, (json.dumps(memory_ids),))
    if not entities:
        return []
    is_few = sum(row[1] for row in entities) <= FEW_MENTIONS
    sql = _AMONG_MENTIONS if is_few else _AMONG_NEWEST
    params = (json.dumps([row[0] for row in entities]), *where.params, limit)
    return [row[0] for row in tx.all(sql.format(where=where.sql), params)]
