"""The newest walk through an agent's graph, for people to look at; known to all processes.

Bookkeeping: written after the answer that the walk was for.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import ReadTx, WriteTx, runtime_settings
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.traverse import Walk
from signet.domain.graph.visibility import Sight

#: The newest walk of each agent.
_PREFIX = "traversal:"

_MET = """
SELECT e.name FROM json_each(:names) j CROSS JOIN entities e ON e.agent_id = :agent AND e.canonical_name = j.value
WHERE {entity} ORDER BY j.key
"""


class Phase(StrEnum):
    """What a walk was for."""

    SESSION_START = "session_start"
    RECALL = "recall"


class Origin(StrEnum):
    """What a walk began with (spec/knowledge.md §4)."""

    IDS = "ids"
    PROJECT = "project"
    QUERY = "query"
    SESSION = "session"


def keep(
    tx: WriteTx, walk: Walk, phase: Phase, origin: Origin, *, agent_id: str, now: datetime
) -> None:
    """Make this the newest walk of the agent."""
    told = {
        "phase": phase,
        "at": clock.to_text(now),
        "source": origin,
        "focalEntityNames": [entity.name for entity in walk.focal],
        "focalEntities": len(walk.focal),
        "traversedEntities": walk.visited,
        "memoryCount": len(walk.memories),
        "constraintCount": len(walk.constraints),
        "timedOut": walk.timed_out,
    }
    runtime_settings.put(tx, _PREFIX + agent_id, json.dumps(told, ensure_ascii=False))


def newest(tx: ReadTx, *, reader: Reader) -> Mapping[str, object] | None:
    """Return the newest walk as it is told, None before the first; names that the reader may not see are left out."""
    text = runtime_settings.get(tx, _PREFIX + reader.agent_id)
    if text is None:
        return None
    told, sight = json.loads(text), Sight.of(reader)
    named = json.dumps([names.canonical(name) for name in told["focalEntityNames"]])
    asked = {"names": named, "agent": reader.agent_id, **sight.params}
    rows = tx.all(_MET.format(entity=sight.entity()), asked)
    return {**told, "focalEntityNames": [row["name"] for row in rows]}


def last(tx: ReadTx, *, reader: Reader) -> Mapping[str, object] | None:
    """Return the newest walk of all agents; the names in that of another agent are left out."""
    walks = {
        agent_id: json.loads(text)
        for agent_id, text in runtime_settings.get_all(tx, _PREFIX).items()
    }
    agent_id = max(walks, key=lambda one: str(walks[one]["at"]), default=reader.agent_id)
    if agent_id == reader.agent_id:
        return newest(tx, reader=reader)
    return {**walks[agent_id], "focalEntityNames": []}
