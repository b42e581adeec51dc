"""SQL of extraction: memories that new facts are compared with."""

from signet.db.dialect import LIST, THEN_JOIN
from signet.db.visibility import Here, belongs
from signet.domain.graph import claims
from signet.domain.memory.modify import is_current

#: Rows from each search, and how many of both are kept. A project is compared with itself and with memories for all
#: projects, because the two may contradict each other.
PER_CHANNEL = 10
OWN = f"""
m.is_deleted = 0 AND m.agent_id = ? AND m.scope IS ? AND m.visibility = ? AND m.id <> ?
   AND m.type <> 'document_chunk' AND {is_current().sql} AND {belongs(Here()).sql}"""
#: Ranked in the index; only the kept rows are read from the table.
KEYWORD = f"""
SELECT f.rowid, f.rank FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
 WHERE memories_fts MATCH ? AND {OWN} ORDER BY f.rank LIMIT {PER_CHANNEL}"""
KEPT = f"SELECT seq, id, type, content, version FROM memories WHERE seq IN {LIST}"
HOLDS = f"""
SELECT 1 FROM memories m
 WHERE m.content_hash = ? AND m.is_deleted = 0 AND m.agent_id = ? AND m.scope IS ? AND {belongs(Here()).sql}"""

#: Rows compared with one statement, and words of it in the search.
COMPARED = 50
#: `told` is the time of a fact's source, else the row's own time.
ROWS = f"""
SELECT m.id, m.content, coalesce(m.origin, 'agent') AS origin, coalesce(p.created_at, m.created_at) AS told
FROM (SELECT f.rowid AS seq FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
      WHERE memories_fts MATCH :match AND m.is_deleted = 0 AND m.agent_id = :agent_id AND m.scope IS :scope
        AND m.visibility = :visibility AND m.source_id IS NOT :source_id AND m.pinned = 0 AND m.manual_override = 0
        AND m.type NOT IN ('document_chunk', 'constraint') AND length(m.content) <= {claims.MAX_CHARS}
        AND {is_current().sql} AND {belongs(Here()).sql.replace("?", ":project")}
      ORDER BY f.rank LIMIT {COMPARED}) found
{THEN_JOIN} memories m ON m.seq = found.seq
LEFT JOIN memories p ON m.source_type = 'pipeline-v2' AND p.id = m.source_id
"""
MAY_GO = f"""
SELECT 1 FROM memories m WHERE m.id = ? AND m.is_deleted = 0 AND m.pinned = 0 AND m.manual_override = 0
  AND {is_current().sql}
"""

STORED = "SELECT count(*) FROM memories WHERE agent_id = ? AND project = ? AND is_deleted = 0 AND created_at >= ?"
