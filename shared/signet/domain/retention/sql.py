"""Which of the memories that are old enough still have links or vectors."""

import json

from signet.db import ReadTx

_EMBEDDED = (
    "SELECT DISTINCT source_id FROM embeddings"
    " WHERE source_type = 'memory' AND source_id IN (SELECT value FROM json_each(?))"
)
_BARE = """
SELECT value FROM json_each(?)
 WHERE NOT EXISTS (SELECT 1 FROM memory_entity_mentions WHERE memory_id = value)
   AND NOT EXISTS (SELECT 1 FROM entity_attributes WHERE source_memory_id = value)
   AND NOT EXISTS (SELECT 1 FROM embeddings WHERE source_type = 'memory' AND source_id = value)
"""


def embedded(tx: ReadTx, memory_ids: list[str]) -> list[str]:
    """Return which of these memories have vectors."""
    return [row[0] for row in tx.all(_EMBEDDED, (json.dumps(memory_ids),))]


def bare(tx: ReadTx, memory_ids: list[str]) -> list[str]:
    """Return which of these memories have neither links nor vectors."""
    return [row[0] for row in tx.all(_BARE, (json.dumps(memory_ids),))]
