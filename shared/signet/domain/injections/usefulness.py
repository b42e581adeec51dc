"""How the memories that a session was given served it: by hits and ratings, and as a model judges it."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from signet.db import ReadTx, WriteTx
from signet.domain.graph.weights import Use
from signet.domain.injections.sql import session_memories as sql
from signet.domain.injections.sql.session_memories import Shown


def take(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> Mapping[str, Use]:
    """Return by memory how it served a session, each once: the second call returns nothing new."""
    rows = sql.take_uses(tx, agent_id, key, now=now)
    unused = sql.unused_sessions(tx, agent_id, [row.memory_id for row in rows])
    return {
        row.memory_id: Use(hits=row.hits, rating=row.rating, unused=unused.get(row.memory_id, 0))
        for row in rows
    }


def shown(tx: ReadTx, agent_id: str, key: str) -> list[Shown]:
    """Return the memories that a session was given and that are still there, best first."""
    return sql.shown(tx, agent_id, key)


def set_relevance(
    tx: WriteTx, agent_id: str, key: str, judged: Iterable[tuple[str, float]]
) -> None:
    """Store how relevant memories were to a session, 0..1, as a model judges."""
    sql.set_relevance(tx, agent_id, key, judged)


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest candidates of sessions and return how many."""
    return sql.delete_old(tx, before, limit)
