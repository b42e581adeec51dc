"""SQL of `session_checkpoints`."""

from signet.db.visibility import OF_AGENT
from signet.wire.sessions import StoredCheckpoint

_COLUMNS = ", ".join(StoredCheckpoint.__annotations__)
INSERT = f"""
INSERT INTO session_checkpoints (agent_id, {_COLUMNS})
VALUES (:agent_id, {", ".join(f":{name}" for name in StoredCheckpoint.__annotations__)})"""
TRIM = """
DELETE FROM session_checkpoints WHERE rowid IN (
    SELECT rowid FROM session_checkpoints WHERE agent_id = ? AND session_key = ?
     ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)"""
OF = "SELECT count(*) FROM session_checkpoints WHERE agent_id = ? AND session_key = ?"
DELETE_OF = "DELETE FROM session_checkpoints WHERE agent_id = ? AND session_key = ?"
DELETE_OLD = """
DELETE FROM session_checkpoints WHERE rowid IN (
    SELECT rowid FROM session_checkpoints WHERE created_at < ? LIMIT ?)"""
_WORDS = "digest || char(10) || coalesce(memory_queries, '') || char(10) || coalesce(recent_remembers, '')"
TEXTS = f"SELECT rowid, agent_id, {_WORDS} FROM session_checkpoints WHERE rowid > ? ORDER BY rowid LIMIT ?"
DELETE_SAYING = (
    f"DELETE FROM session_checkpoints WHERE ? IS NOT NULL AND rowid = ? AND {_WORDS} = ?"
)
OF_PROJECT = f"""
SELECT {_COLUMNS} FROM session_checkpoints
 WHERE project_normalized = :project AND {OF_AGENT}
 ORDER BY created_at DESC, rowid DESC LIMIT :limit"""
OF_SESSION = f"""
SELECT {_COLUMNS} FROM session_checkpoints
 WHERE session_key = :session AND {OF_AGENT}
   AND (:project IS NULL OR project = :project)
 ORDER BY created_at DESC, rowid DESC"""
