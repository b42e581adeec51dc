"""The newest walk through an agent's graph, for people to look at; known to all processes.

Bookkeeping: written after the answer that the walk was for.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
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
    """What the walk began with (spec/knowledge.md §4)."""

    IDS = "ids"
    PROJECT = "project"
    QUERY = "query"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """What there is to tell of a walk."""

    phase: Phase
    source: Origin
    names: Sequence[str]
    traversed: int
    memories: int
    constraints: int
    timed_out: bool

    @classmethod
    def of(cls, walk: Walk, *, phase: Phase, source: Origin) -> "Walked":
        """Return what there is to tell of this walk."""
        return cls(
            phase=phase,
            source=source,
            names=[entity.name for entity in walk.focal],
            traversed=walk.visited,
            memories=len(walk.memories),
            constraints=walk.constraints,
            timed_out=walk.timed_out,
        )


def keep(tx: WriteTx, walked: Walked, *, agent_id: str, now: datetime) -> None:
    """Make this the newest walk of the agent."""
    text = json.dumps(asdict(walked) | {"at": clock.to_text(now)}, ensure_ascii=False)
    tx.run(_KEEP, (_key(agent_id), text))


def newest(tx: ReadTx, agent_id: str) -> Mapping[str, object] | None:
    """Return the fields of the newest walk and its time, None before the first."""
    text = tx.value(_KEPT, (_key(agent_id),))
    return None if text is None else json.loads(text)


def _key(agent_id: str) -> str:
    return f"traversal:{agent_id}"
