"""SQL of documents and of their links to memories."""

from signet.db.dialect import LIST, THEN_JOIN, list_rows

_FIELDS = (
    "id, source_url, source_type, content_type, content_hash, title, {content} AS raw_content, status, error,"
    " connector_id, chunk_count, memory_count, metadata_json, created_at, updated_at, completed_at,"
    " agent_id, source_stamp"
)
_WHOLE = f"SELECT {_FIELDS.format(content='raw_content')} FROM documents"
_BRIEF = f"SELECT {_FIELDS.format(content='NULL')} FROM documents"
_LIVE = "status NOT IN ('failed', 'deleted')"
BY_ID = f"{_WHOLE} WHERE id = ?"
READABLE = f"{_WHOLE} WHERE id = ? AND {{where}}"
#: An agent's earlier document with the same address that is neither failed nor deleted.
BY_URL = f"SELECT id, status FROM documents WHERE source_url = ? AND agent_id = ? AND {_LIVE}"
BY_TEXT = f"""
SELECT id, status FROM documents WHERE content_hash = ? AND agent_id = ? AND source_type = 'text' AND {_LIVE}"""
_NEWEST = "WHERE {where} ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?"
NEWEST = f"{_BRIEF} {_NEWEST}"
NEWEST_WHOLE = f"{_WHOLE} {_NEWEST}"
COUNT = "SELECT count(*) FROM documents WHERE {where}"
CONNECTOR = "SELECT 1 FROM connectors WHERE id = ?"
STAMP = "SELECT source_stamp FROM documents WHERE id = ?"
MARK_DELETED = "UPDATE documents SET status = 'deleted', error = ?, updated_at = ? WHERE id = ? AND status <> 'deleted'"
INSERT = (
    "INSERT INTO documents (id, source_url, source_type, content_type, content_hash, title, raw_content, status,"
    " connector_id, metadata_json, created_at, updated_at, agent_id, source_stamp)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)"
)
CHUNKS = (
    "SELECT m.id, m.content, m.type, m.created_at, d.chunk_index FROM document_memories d"
    f" {THEN_JOIN} memories m ON m.id = d.memory_id WHERE d.document_id = ? AND m.is_deleted = 0 AND {{readable}}"
    " ORDER BY d.chunk_index, m.seq"
)
# A document that is done or deleted never changes again: a late run cannot restore it (DOC-2, DOC-10).
ADVANCE = """
UPDATE documents SET status = ?, error = ?, updated_at = ? WHERE id = ? AND status NOT IN ('done', 'deleted')
"""
#: A finished reading stays finished only while the text is the same.
KEEP = """
UPDATE documents SET raw_content = :text, content_type = :type, title = COALESCE(title, :title),
       status = 'chunking', error = NULL, updated_at = :now, content_hash = :hash,
       completed_at = CASE WHEN content_hash = :hash THEN completed_at END
 WHERE id = :id AND status NOT IN ('done', 'deleted')
RETURNING completed_at IS NOT NULL
"""
SET_CONNECTOR = f"UPDATE documents SET connector_id = ? WHERE id IN {LIST}"
REQUEUE = """
UPDATE documents SET status = 'queued', error = NULL, raw_content = NULL, updated_at = :now, source_stamp = :stamp,
       content_hash = CASE WHEN :forced THEN NULL ELSE content_hash END
 WHERE id = :id AND status <> 'deleted'
"""
# Clears the stamp, so that the next check queues a document that changed after it was queued.
FAIL = """
UPDATE documents SET status = 'failed', error = :error, updated_at = :now,
       source_stamp = CASE WHEN source_stamp IS :stamp THEN source_stamp END
 WHERE id = :id AND status NOT IN ('done', 'deleted')
"""
SAME = "UPDATE documents SET status = 'done', error = NULL, updated_at = ?1, completed_at = ?1 WHERE id = ?2"
FINISH = """
UPDATE documents SET status = 'done', error = NULL, chunk_count = :chunks, updated_at = :now, completed_at = :now,
       memory_count = (SELECT count(*) FROM document_memories WHERE document_id = documents.id)
 WHERE id = :id AND status NOT IN ('done', 'deleted')
"""
LINK = (
    "INSERT INTO document_memories (document_id, memory_id, chunk_index) VALUES (?, ?, ?)"
    " ON CONFLICT (document_id, memory_id) DO UPDATE SET chunk_index = min(chunk_index, excluded.chunk_index)"
)
LINKED = "SELECT memory_id FROM document_memories WHERE document_id = ?"
UNLINK = f"DELETE FROM document_memories WHERE document_id = ? AND memory_id IN {LIST}"
UNLINK_MEMORIES = f"DELETE FROM document_memories WHERE memory_id IN {LIST}"
#: Of some memories, those from document ingest that belong to no other live document (DOC-1). The join order is forced:
#: the planner would rather read all memories that are not deleted.
LOOSE = f"""
SELECT m.id FROM {list_rows()} AS wanted {THEN_JOIN} memories m ON m.id = wanted.value
 WHERE m.is_deleted = 0
   AND m.source_type = 'document' AND m.type = 'document_chunk'
   AND NOT EXISTS (SELECT 1 FROM document_memories d JOIN documents o ON o.id = d.document_id
                    WHERE d.memory_id = m.id AND d.document_id <> ? AND o.status <> 'deleted')
"""
ROOTS = """
SELECT COALESCE(config_json ->> 'rootPath', config_json ->> 'path') FROM connectors
 WHERE provider = 'filesystem' AND json_valid(config_json)
"""
DELETED_TEXTS = """
SELECT rowid, agent_id, raw_content FROM documents
 WHERE rowid > ? AND status = 'deleted' AND raw_content IS NOT NULL ORDER BY rowid LIMIT ?"""
DROP_TEXT = (
    "UPDATE documents SET raw_content = NULL WHERE ? IS NOT NULL AND rowid = ? AND raw_content = ?"
)
OPEN_JOBS = "SELECT id FROM memory_jobs WHERE document_id = ? AND status IN ('pending', 'leased')"
