"""Rows of checkpoints. Nothing is stored or shown that looks like a secret (CP-2): here is where that is held."""

import json
import os
from collections.abc import Mapping, Sequence

from signet import clock, ids
from signet.db import ReadTx, Row, WriteTx
from signet.domain.sessions.checkpoint import Checkpoint
from signet.observe.redact import redact

_COLUMNS = (
    "id", "session_key", "harness", "project", "project_normalized", "trigger", "digest", "prompt_count",
    "memory_queries", "recent_remembers", "focal_entity_ids", "focal_entity_names", "active_aspect_ids",
    "surfaced_constraint_count", "traversal_memory_count", "created_at",
)  # fmt: skip
#: Columns that hold JSON arrays, and under which name they are shown as arrays too.
_LISTS: Mapping[str, str] = {
    "memory_queries": "memoryQueries",
    "recent_remembers": "recentRemembers",
    "focal_entity_ids": "focalEntityIds",
    "focal_entity_names": "focalEntityNames",
    "active_aspect_ids": "activeAspectIds",
}
#: Columns with words of people.
_WORDS = ("memory_queries", "recent_remembers", "focal_entity_names")

_INSERT = f"""
INSERT INTO session_checkpoints (agent_id, {", ".join(_COLUMNS)})
VALUES ({", ".join("?" * (len(_COLUMNS) + 1))})"""
_TRIM = """
DELETE FROM session_checkpoints WHERE rowid IN (
    SELECT rowid FROM session_checkpoints WHERE agent_id = ? AND session_key = ?
     ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)"""
_PURGE = """
DELETE FROM session_checkpoints WHERE rowid IN (
    SELECT rowid FROM session_checkpoints WHERE created_at < ? LIMIT ?)"""
_OF_PROJECT = f"""
SELECT {", ".join(_COLUMNS)} FROM session_checkpoints
 WHERE project_normalized = :project AND (:agent IS NULL OR agent_id = :agent)
 ORDER BY created_at DESC, rowid DESC LIMIT :limit"""
_OF_SESSION = f"""
SELECT {", ".join(_COLUMNS)} FROM session_checkpoints
 WHERE session_key = :session AND (:agent IS NULL OR agent_id = :agent)
   AND (:project IS NULL OR project = :project)
 ORDER BY created_at DESC, rowid DESC"""


def keep(tx: WriteTx, checkpoint: Checkpoint, *, project_path: str | None, most: int) -> str:
    """Store a checkpoint, redacted, and return its id; of its session the newest `most` stay (CP-3).

    `project_path` is `real_path` of its project, found out before the transaction.
    """
    checkpoint_id = ids.new_ordered_id()
    tx.run(
        _INSERT,
        (
            checkpoint.agent_id,
            checkpoint_id,
            checkpoint.session_key,
            checkpoint.harness,
            checkpoint.project,
            project_path,
            checkpoint.trigger,
            redact(checkpoint.digest),
            checkpoint.prompt_count,
            _redacted(checkpoint.queries),
            _redacted(checkpoint.remembers),
            json.dumps(checkpoint.focal_entity_ids),
            _redacted(checkpoint.focal_entity_names),
            json.dumps(checkpoint.active_aspect_ids),
            checkpoint.constraint_count,
            checkpoint.traversal_count,
            clock.to_text(checkpoint.at),
        ),
    )
    tx.run(_TRIM, (checkpoint.agent_id, checkpoint.session_key, most))
    return checkpoint_id


def purge(tx: WriteTx, before: str, limit: int) -> int:
    """Delete checkpoints that are older than an instant and return how many."""
    return tx.run(_PURGE, (before, limit))


def of_project(
    tx: ReadTx, project_path: str, *, agent_id: str | None = None, limit: int
) -> list[dict[str, object]]:
    """Return the newest checkpoints of a project (its `real_path`), newest first; of one agent if one is named."""
    rows = tx.all(_OF_PROJECT, {"project": project_path, "agent": agent_id, "limit": limit})
    return [_shown(row) for row in rows]


def of_session(
    tx: ReadTx, session_key: str, *, agent_id: str | None = None, project: str | None = None
) -> list[dict[str, object]]:
    """Return all checkpoints of a session, newest first; of one agent or project if one is named."""
    rows = tx.all(_OF_SESSION, {"session": session_key, "agent": agent_id, "project": project})
    return [_shown(row) for row in rows]


def real_path(project: str) -> str:
    """Return the path by which checkpoints of a project are found: links followed, no slash at the end; reads disk."""
    return os.path.realpath(project) if project.startswith("/") else project.rstrip("/")


def _redacted(texts: Sequence[str]) -> str:
    return json.dumps([redact(text) for text in texts], ensure_ascii=False)


def _shown(row: Row) -> dict[str, object]:
    shown: dict[str, object] = dict(row)
    for name, array_name in _LISTS.items():
        values = _array(row[name])
        if name in _WORDS:
            values = [redact(value) for value in values]
            shown[name] = None if row[name] is None else json.dumps(values, ensure_ascii=False)
        shown[array_name] = values
    shown["digest"] = redact(row["digest"])
    return shown


def _array(stored: str | None) -> list[str]:
    """Return the texts of an array; none where something else is stored (CP-4)."""
    try:
        found = json.loads(stored) if stored else []
    except ValueError:
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
