"""The statements of `memory_history`, one row for each change, and `memories_cold`, whole memories as they were."""

INSERT = (
    "INSERT INTO memory_history (id, memory_id, event, old_content, new_content, changed_by, actor_type, reason,"
    " metadata, created_at, session_id, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
LIST = (
    "SELECT id, event, old_content, new_content, changed_by, actor_type, reason, metadata, created_at,"
    " session_id, request_id FROM memory_history WHERE memory_id = ? ORDER BY created_at, rowid LIMIT ?"
)
DELETE_OLDEST = (
    "DELETE FROM memory_history WHERE rowid IN"
    " (SELECT rowid FROM memory_history WHERE created_at < ? ORDER BY created_at LIMIT ?)"
)

WHOLE = "SELECT * FROM memories WHERE id = ?"
#: Columns that a copy has in common with its memory.
SAME = (
    "type, category, content, confidence, importance, source_id, source_type, tags, who, why, project, content_hash,"
    " normalized_content, extraction_status, embedding_model, extraction_model, update_count, agent_id"
)
COPY = (
    f"INSERT INTO memories_cold (archive_id, memory_id, {SAME}, original_created_at, archived_at, archived_reason,"
    f" original_row_json) VALUES (?, ?, {', '.join('?' * (SAME.count(',') + 1))}, ?, ?, ?, ?)"
)
DELETE_COPIES = "DELETE FROM memories_cold WHERE memory_id = ? AND archived_reason = ?"
