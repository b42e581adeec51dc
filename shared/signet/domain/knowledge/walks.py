"""The newest walk through an agent's graph, for people to look at; known to all processes.

Bookkeeping: written after the answer that the walk was for.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.graph.traverse import Walk

_KEEP = """
INSERT INTO runtime_settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_KEPT = "SELECT value FROM runtime_settings WHERE key = ?"


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
        "constraintCount": walk.constraints,
        "timedOut": walk.timed_out,
    }
    tx.run(_KEEP, (_key(agent_id), json.dumps(told, ensure_ascii=False)))


def newest(tx: ReadTx, agent_id: str) -> Mapping[str, object] | None:
    """Return the newest walk as it is told, None before the first."""
    text = tx.value(_KEPT, (_key(agent_id),))
    return None if text is None else json.loads(text)


def _key(agent_id: str) -> str:
    return f"traversal:{agent_id}"
