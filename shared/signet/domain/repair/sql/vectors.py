"""SQL of vector repairs."""

from signet.db.dialect import list_of
from signet.domain.embeddings.models import CURRENT
from signet.domain.repair import choice

#: No active memory has it. A vector shared with a live memory that has none stays (RP-12): the live memory gets its
#: own first.
ORPHANS = f"""
SELECT e.source_id AS id, COUNT(*) AS vectors FROM embeddings e
 WHERE e.source_type = 'memory' AND {choice.condition(id="e.source_id", at="e.created_at")}
   AND e.source_id > :after
   AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = e.source_id AND m.is_deleted = 0)
   AND NOT EXISTS (SELECT 1 FROM memories live WHERE live.content_hash = e.content_hash AND live.is_deleted = 0
                      AND NOT EXISTS (SELECT 1 FROM embeddings own
                                       WHERE own.source_type = 'memory' AND own.source_id = live.id))
 GROUP BY e.source_id ORDER BY e.source_id LIMIT :limit"""
MISSING = f"""
SELECT m.id FROM memories m WHERE m.is_deleted = 0 AND NOT {CURRENT}
   AND {choice.condition(id="m.id", kind="m.type", at="m.created_at")}
   AND m.id NOT IN {list_of(":failed")} ORDER BY m.created_at, m.seq LIMIT :limit"""
LEFT = f"""
SELECT COUNT(*) FROM memories m WHERE m.is_deleted = 0 AND NOT {CURRENT}
   AND {choice.condition(id="m.id", kind="m.type", at="m.created_at")}"""
STRAY = """
SELECT v.rowid AS place, v.id FROM vec_embeddings_rowids v
 WHERE v.rowid > ? AND NOT EXISTS (SELECT 1 FROM embeddings e WHERE e.id = v.id) ORDER BY v.rowid LIMIT ?"""
UNINDEXED = """
SELECT e.seq, e.id, e.vector FROM embeddings e
 WHERE e.seq > ? AND e.dimensions = ? AND length(e.vector) = 4 * e.dimensions
   AND NOT EXISTS (SELECT 1 FROM vec_embeddings_rowids v WHERE v.id = e.id) ORDER BY e.seq LIMIT ?"""
WIDTHS = "SELECT dimensions FROM embeddings ORDER BY seq DESC LIMIT 1000"
ANY = (
    "SELECT vector FROM embeddings WHERE dimensions = ? AND length(vector) = 4 * dimensions LIMIT 1"
)
MALFORMED = "SELECT COUNT(*) FROM embeddings WHERE length(vector) <> 4 * dimensions"
COUNT_WIDE = "SELECT COUNT(*) FROM embeddings WHERE dimensions = ?"
COUNT_INDEXED = "SELECT COUNT(*) FROM vec_embeddings_rowids"
