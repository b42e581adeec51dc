"""Which of the memories that are old enough still have links or vectors."""

from signet.db.dialect import LIST, list_rows

EMBEDDED = f"SELECT DISTINCT source_id FROM embeddings WHERE source_type = 'memory' AND source_id IN {LIST}"
BARE = f"""
SELECT value FROM {list_rows()}
 WHERE NOT EXISTS (SELECT 1 FROM memory_entity_mentions WHERE memory_id = value)
   AND NOT EXISTS (SELECT 1 FROM entity_attributes WHERE source_memory_id = value)
   AND NOT EXISTS (SELECT 1 FROM embeddings WHERE source_type = 'memory' AND source_id = value)
"""
