"""Rows of connectors, and which documents are theirs."""

from typing import NamedTuple

from signet.db.dialect import LIST

_FIELDS = (
    "SELECT id, provider, display_name, config_json, cursor_json, status, last_sync_at, last_error, created_at,"
    " updated_at, agent_id, progress_json FROM connectors"
)
BY_ID = f"{_FIELDS} WHERE id = ?"
NEWEST = f"{_FIELDS} ORDER BY created_at DESC, rowid DESC"
INSERT = """
INSERT INTO connectors (id, provider, display_name, config_json, agent_id, created_at, updated_at)
VALUES (:id, :provider, :display_name, :config_json, :agent_id, :created_at, :updated_at)"""
CARRY = f"""{INSERT}
ON CONFLICT (id) DO UPDATE SET provider = excluded.provider, display_name = excluded.display_name,
       config_json = excluded.config_json, agent_id = excluded.agent_id, created_at = excluded.created_at"""
DELETE = "DELETE FROM connectors WHERE id = ?"
DELETE_OTHERS = f"DELETE FROM connectors WHERE id NOT IN {LIST}"
BEGIN = (
    "UPDATE connectors SET status = 'syncing', progress_json = NULL, updated_at = ? WHERE id = ?"
)
PROGRESS = "UPDATE connectors SET progress_json = ?, updated_at = ? WHERE id = ?"
END = """
UPDATE connectors SET status = 'idle', last_error = NULL, cursor_json = ?, last_sync_at = ?, progress_json = ?,
       updated_at = ? WHERE id = ?
"""
#: An agent's documents of a connector that is gone, or to which an older program gave an unknown id, below a folder
#: (CON-5, CON-6).
_ORPHANS = """
 source_type = 'file' AND connector_id IS NOT NULL AND connector_id NOT IN (SELECT id FROM connectors)
   AND status <> 'deleted' AND source_url >= :low AND source_url < :high AND agent_id = :agent_id
"""
ADOPTABLE = f"""
SELECT id FROM documents WHERE {_ORPHANS}
   AND NOT EXISTS (SELECT 1 FROM documents own WHERE own.connector_id = :id AND own.source_url = documents.source_url
                      AND own.status <> 'deleted')
"""
COUNTS = f"""
SELECT status, count(*) FROM documents
 WHERE status <> 'deleted' AND (connector_id = :id OR ({_ORPHANS})) GROUP BY status
"""
KNOWN = f"""
SELECT id, source_url AS path, source_stamp AS stamp, agent_id FROM documents
 WHERE connector_id = ? AND source_type = 'file' AND status <> 'deleted' AND source_url IN {LIST}
"""
AFTER = """
SELECT id, source_url AS path, source_stamp AS stamp, agent_id FROM documents
 WHERE connector_id = :id AND source_type = 'file' AND status <> 'deleted'
   AND source_url > max(:after, :low) AND source_url < :high
 ORDER BY source_url LIMIT :limit
"""
SOME = "SELECT id FROM documents WHERE connector_id = ? AND status <> 'deleted' LIMIT ?"
OPEN_JOB = "SELECT id FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"


class KnownFile(NamedTuple):
    id: str
    path: str
    stamp: str | None
    agent_id: str


def below(root: str) -> dict[str, str]:
    """Return the bounds of all paths below a folder: `/` and the next character."""
    bare = root.rstrip("/")
    return {"low": f"{bare}/", "high": f"{bare}0"}
