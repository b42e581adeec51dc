"""Rows of connectors, and which documents are theirs."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, as_list
from signet.wire.connectors import SyncProgress

_FIELDS = (
    "SELECT id, provider, display_name, config_json, cursor_json, status, last_sync_at, last_error, created_at,"
    " updated_at, agent_id, progress_json FROM connectors"
)
BY_ID = f"{_FIELDS} WHERE id = ?"
NEWEST = f"{_FIELDS} ORDER BY created_at DESC, rowid DESC"
INSERT = """
INSERT INTO connectors (id, provider, display_name, config_json, agent_id, created_at, updated_at)
VALUES (:id, :provider, :display_name, :config_json, :agent_id, :created_at, :updated_at)"""
DELETE = "DELETE FROM connectors WHERE id = ?"
BEGIN = (
    "UPDATE connectors SET status = 'syncing', progress_json = NULL, updated_at = ? WHERE id = ?"
)
_PROGRESS = "UPDATE connectors SET progress_json = ?, updated_at = ? WHERE id = ?"
_END = """
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
_KNOWN = f"""
SELECT id, source_url AS path, source_stamp AS stamp, agent_id FROM documents
 WHERE connector_id = ? AND source_type = 'file' AND status <> 'deleted' AND source_url IN {LIST}
"""
_AFTER = """
SELECT id, source_url AS path, source_stamp AS stamp, agent_id FROM documents
 WHERE connector_id = :id AND source_type = 'file' AND status <> 'deleted'
   AND source_url > max(:after, :low) AND source_url < :high
 ORDER BY source_url LIMIT :limit
"""
SOME = "SELECT id FROM documents WHERE connector_id = ? AND status <> 'deleted' LIMIT ?"
OPEN_JOB = "SELECT id FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"


class Known(NamedTuple):
    """A document of a connector."""

    id: str
    path: str
    stamp: str | None
    agent_id: str


def show(tx: WriteTx, connector_id: str, progress: SyncProgress, *, at: datetime) -> bool:
    """Show how far a sync is; False when the connector is gone."""
    values = (json.dumps(progress), clock.to_text(at), connector_id)
    return tx.run(_PROGRESS, values) == 1


def end(
    tx: WriteTx, connector_id: str, progress: SyncProgress, *, started: datetime, at: datetime
) -> bool:
    """Set the connector to idle with its new cursor: when the sync began (CON-4); False when it is gone."""
    begun = clock.to_text(started)
    cursor = json.dumps({"lastSyncAt": begun})
    values = (cursor, begun, json.dumps(progress), clock.to_text(at), connector_id)
    return tx.run(_END, values) == 1


def known(tx: ReadTx, connector_id: str, paths: Iterable[str]) -> dict[str, Known]:
    """Return the documents of these files by path."""
    return {one.path: one for one in tx.rows(Known, _KNOWN, (connector_id, as_list(paths)))}


def after(tx: ReadTx, connector_id: str, root: str, path: str, *, limit: int) -> list[Known]:
    """Return the next documents of files below a folder behind a path, in the order of paths."""
    values = {"id": connector_id, "after": path, "limit": limit, **below(root)}
    return tx.rows(Known, _AFTER, values)


def below(root: str) -> dict[str, str]:
    """Return the bounds of all paths below a folder: `/` and the letter after it."""
    bare = root.rstrip("/")
    return {"low": f"{bare}/", "high": f"{bare}0"}
