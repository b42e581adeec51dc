"""The statements of extraction: memories that are compared with what was found."""

from signet.db.dialect import LIST, THEN_JOIN
from signet.db.visibility import Here, belongs
from signet.domain.graph import claims
from signet.domain.memory.modify import is_current

#: A project is compared with itself and with what is for every project: two may decide the opposite.
#: Rows looked at by each channel, and how many of both are kept.
PER_CHANNEL = 10
OWN = f"""
m.is_deleted = 0 AND m.agent_id = ? AND m.scope IS ? AND m.visibility = ? AND m.id <> ?
   AND m.type <> 'document_chunk' AND {is_current().sql} AND {belongs(Here()).sql}"""
#: Ranked in the index; only what is kept is read from the table.
KEYWORD = f"""
SELECT f.rowid, f.rank FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
 WHERE memories_fts MATCH ? AND {OWN} ORDER BY f.rank LIMIT {PER_CHANNEL}"""
KEPT = f"SELECT seq, id, type, content, version FROM memories WHERE seq IN {LIST}"
HOLDS = f"""
SELECT 1 FROM memories m
 WHERE m.content_hash = ? AND m.is_deleted = 0 AND m.agent_id = ? AND m.scope IS ? AND {belongs(Here()).sql}"""

#: Rows compared with one statement, and words of it that are looked for.
COMPARED = 50
#: Told is when the source of a fact was told, else the row's own instant.
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
