"""Checkpoints of sessions, for the session that continues the work.

This module redacts possible secrets before it stores or shows a checkpoint (CP-2).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from signet import clock, ids
from signet.db import ReadTx, WriteTx, columns
from signet.domain.auth import caller
from signet.domain.sessions.models import Checkpoint
from signet.domain.sessions.sql import states as sql
from signet.domain.transcripts import stored, withheld
from signet.observe.redact import redact
from signet.queue.job_context import JobContext
from signet.wire.sessions import SessionCheckpoint as Shown
from signet.wire.sessions import StoredCheckpoint

#: Columns that hold JSON arrays, and the names under which clients receive them as arrays.
_LISTS: Mapping[str, str] = {
    "memory_queries": "memoryQueries",
    "recent_remembers": "recentRemembers",
    "focal_entity_ids": "focalEntityIds",
    "focal_entity_names": "focalEntityNames",
    "active_aspect_ids": "activeAspectIds",
}
#: Columns with words of people.
_WORDS = ("memory_queries", "recent_remembers", "focal_entity_names")


def put(tx: WriteTx, checkpoint: Checkpoint, *, most: int) -> str:
    """Store a redacted checkpoint and return its ID; keep the newest `most` of its session (CP-3).

    Stores nothing for a forgotten session, and returns an empty ID.
    """
    if stored.is_forgotten(tx, checkpoint.agent_id, checkpoint.session_key):
        return ""
    redacted = replace(
        checkpoint,
        digest=redact(checkpoint.digest),
        queries=tuple(map(redact, checkpoint.queries)),
        remembers=tuple(map(redact, checkpoint.remembers)),
        focal_entity_names=tuple(map(redact, checkpoint.focal_entity_names)),
    )
    checkpoint_id = ids.new_ordered_id()
    row: StoredCheckpoint = {
        "id": checkpoint_id,
        "session_key": redacted.session_key,
        "harness": redacted.harness,
        "project": redacted.project,
        "project_normalized": redacted.project,
        "trigger": redacted.trigger,
        "digest": redacted.digest,
        "prompt_count": redacted.prompt_count,
        "memory_queries": _stored(redacted.queries),
        "recent_remembers": _stored(redacted.remembers),
        "focal_entity_ids": _stored(redacted.focal_entity_ids),
        "focal_entity_names": _stored(redacted.focal_entity_names),
        "active_aspect_ids": _stored(redacted.active_aspect_ids),
        "surfaced_constraint_count": redacted.constraint_count,
        "traversal_memory_count": redacted.traversal_count,
        "created_at": clock.to_text(redacted.at),
    }
    tx.run(sql.INSERT_CHECKPOINT, {**row, "agent_id": redacted.agent_id})
    tx.run(sql.TRIM_CHECKPOINTS, (checkpoint.agent_id, checkpoint.session_key, most))
    return checkpoint_id


def erase(job: JobContext, known: Mapping[str, Sequence[withheld.Statement]]) -> int:
    """Delete checkpoints that contain erased statements, restart those of running sessions, and return their number."""
    of_checkpoints = withheld.TextTable(sql.CHECKPOINT_TEXTS, sql.DELETE_CHECKPOINTS_SAYING)
    of_states = withheld.TextTable(sql.TEXTS, sql.DROP_CONTINUITY)
    return sum(withheld.clean(job, texts, known) for texts in (of_checkpoints, of_states))


def count(tx: ReadTx, agent_id: str, key: str) -> int:
    return int(tx.value(sql.COUNT_CHECKPOINTS, (agent_id, key)))


def forget(tx: WriteTx, agent_id: str, key: str) -> None:
    tx.run(sql.DELETE_CHECKPOINTS, (agent_id, key))


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete checkpoints older than an instant and return their number."""
    return tx.run(sql.DELETE_OLD_CHECKPOINTS, (before, limit))


def of_project(tx: ReadTx, project: str, *, agent_id: str | None = None, limit: int) -> list[Shown]:
    """Return a project's newest checkpoints, newest first; only those of `agent_id`, if given."""
    hidden = caller.current().hidden
    asked = {"project": project, "agent": agent_id, "hidden": hidden, "limit": limit}
    known = withheld.statements(tx, agent_id)
    return [
        _shown(row, known)
        for row in tx.records(StoredCheckpoint, sql.CHECKPOINTS_OF_PROJECT, asked)
    ]


def of_session(
    tx: ReadTx, session_key: str, *, agent_id: str | None = None, project: str | None = None
) -> list[Shown]:
    """Return all checkpoints of a session, newest first; only those of an agent or project, if given."""
    hidden = caller.current().hidden
    asked = {"session": session_key, "agent": agent_id, "hidden": hidden, "project": project}
    known = withheld.statements(tx, agent_id)
    return [
        _shown(row, known)
        for row in tx.records(StoredCheckpoint, sql.CHECKPOINTS_OF_SESSION, asked)
    ]


def _stored(texts: Sequence[str]) -> str:
    return json.dumps(texts, ensure_ascii=False)


def _shown(row: StoredCheckpoint, known: Sequence[withheld.Statement]) -> Shown:
    """Return a checkpoint for display, without statements forgotten since."""
    shown: dict[str, object] = {**row}
    for name, array_name in _LISTS.items():
        stored = cast("str | None", shown[name])
        values = list(columns.json_strings(stored))
        if name in _WORDS:
            values = [redact(one) for one in values if not one or withheld.without(one, known)]
            shown[name] = None if stored is None else json.dumps(values, ensure_ascii=False)
        shown[array_name] = values
    shown["digest"] = redact(withheld.without(row["digest"], known))
    return cast("Shown", shown)
