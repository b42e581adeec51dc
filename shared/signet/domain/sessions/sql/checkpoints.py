"""Where sessions stood: `session_checkpoints`."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.sessions.models import Checkpoint


class CheckpointRow(NamedTuple):
    """A checkpoint as it is stored; lists are JSON."""

    id: str
    session_key: str
    harness: str
    project: str | None
    project_normalized: str | None
    trigger: str
    digest: str
    prompt_count: int
    memory_queries: str | None
    recent_remembers: str | None
    focal_entity_ids: str | None
    focal_entity_names: str | None
    active_aspect_ids: str | None
    surfaced_constraint_count: int | None
    traversal_memory_count: int | None
    created_at: str


_COLUMNS = ", ".join(CheckpointRow._fields)
_INSERT = f"""
INSERT INTO session_checkpoints (agent_id, {_COLUMNS})
VALUES ({", ".join("?" * (len(CheckpointRow._fields) + 1))})"""
TRIM = """
DELETE FROM session_checkpoints WHERE rowid IN (
    SELECT rowid FROM session_checkpoints WHERE agent_id = ? AND session_key = ?
     ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)"""
DELETE_OLD = """
DELETE FROM session_checkpoints WHERE rowid IN (
    SELECT rowid FROM session_checkpoints WHERE created_at < ? LIMIT ?)"""
_OF_PROJECT = f"""
SELECT {_COLUMNS} FROM session_checkpoints
 WHERE project_normalized = :project AND (:agent IS NULL OR agent_id = :agent)
 ORDER BY created_at DESC, rowid DESC LIMIT :limit"""
OF_SESSION = f"""
SELECT {_COLUMNS} FROM session_checkpoints
 WHERE session_key = :session AND (:agent IS NULL OR agent_id = :agent)
   AND (:project IS NULL OR project = :project)
 ORDER BY created_at DESC, rowid DESC"""


def insert(
    tx: WriteTx, checkpoint_id: str, checkpoint: Checkpoint, *, project_path: str | None
) -> None:
    """Store a checkpoint as it is."""
    row = CheckpointRow(
        id=checkpoint_id,
        session_key=checkpoint.session_key,
        harness=checkpoint.harness,
        project=checkpoint.project,
        project_normalized=project_path,
        trigger=checkpoint.trigger,
        digest=checkpoint.digest,
        prompt_count=checkpoint.prompt_count,
        memory_queries=_stored(checkpoint.queries),
        recent_remembers=_stored(checkpoint.remembers),
        focal_entity_ids=_stored(checkpoint.focal_entity_ids),
        focal_entity_names=_stored(checkpoint.focal_entity_names),
        active_aspect_ids=_stored(checkpoint.active_aspect_ids),
        surfaced_constraint_count=checkpoint.constraint_count,
        traversal_memory_count=checkpoint.traversal_count,
        created_at=clock.to_text(checkpoint.at),
    )
    tx.run(_INSERT, (checkpoint.agent_id, *row))


def of_project(
    tx: ReadTx, project_path: str, *, agent_id: str | None, limit: int
) -> list[CheckpointRow]:
    """Return the newest checkpoints of a project, newest first; of one agent if one is named."""
    asked = {"project": project_path, "agent": agent_id, "limit": limit}
    return tx.rows(CheckpointRow, _OF_PROJECT, asked)


def _stored(texts: Sequence[str]) -> str:
    return json.dumps(texts, ensure_ascii=False)
