"""The newest traversal of each agent's graph, for people to look at; known to all processes.

Bookkeeping: written after the answer that the traversal was for.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.sql import traversal as sql
from signet.domain.graph.sql.visible import Visible
from signet.domain.graph.traversal import Traversal

#: The newest traversal of each agent.
_PREFIX = "traversal:"


class Phase(StrEnum):
    """What a traversal was for."""

    SESSION_START = "session_start"
    RECALL = "recall"


class Origin(StrEnum):
    """What a traversal began with."""

    IDS = "ids"
    PROJECT = "project"
    QUERY = "query"
    SESSION = "session"


def drop(tx: WriteTx) -> None:
    """Delete what is stored of every agent: names in it may be gone."""
    runtime_settings.drop_all(tx, _PREFIX)


def keep(
    tx: WriteTx, found: Traversal, phase: Phase, origin: Origin, *, agent_id: str, now: datetime
) -> None:
    """Make this the newest traversal of the agent."""
    stored = {
        "phase": phase,
        "at": clock.to_text(now),
        "source": origin,
        "focalEntityNames": [entity.name for entity in found.focal],
        "focalEntities": len(found.focal),
        "traversedEntities": found.visited,
        "memoryCount": len(found.memories),
        "constraintCount": len(found.constraints),
        "timedOut": found.timed_out,
    }
    runtime_settings.put(tx, _PREFIX + agent_id, json.dumps(stored, ensure_ascii=False))


def newest(tx: ReadTx, *, reader: Reader) -> Mapping[str, object] | None:
    """Return the newest traversal, None before the first, without names that the reader may not see."""
    text = runtime_settings.get(tx, _PREFIX + reader.agent_id)
    if text is None:
        return None
    stored = json.loads(text)
    named = as_list(names.canonical(name) for name in stored["focalEntityNames"])
    shown = Visible(tx, reader).tuples(sql.VISIBLE_NAMES, names=named)
    return {**stored, "focalEntityNames": [name for (name,) in shown]}


def last(tx: ReadTx, *, reader: Reader) -> Mapping[str, object] | None:
    """Return the newest traversal of all agents; the names in that of another agent are left out."""
    stored = {
        agent_id: json.loads(text)
        for agent_id, text in runtime_settings.get_all(tx, _PREFIX).items()
    }
    agent_id = max(stored, key=lambda one: str(stored[one]["at"]), default=reader.agent_id)
    if agent_id == reader.agent_id:
        return newest(tx, reader=reader)
    return {**stored[agent_id], "focalEntityNames": []}
