"""How a session's memories served it: by hits, ratings, and a model's judgement."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.graph.feedback import Use
from signet.domain.injections.sql import session_memories as sql
from signet.domain.injections.sql.session_memories import Shown


def take(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> Mapping[str, Use]:
    """Return by memory how it served a session, each once: a second call returns nothing new."""
    rows = tx.rows(sql.UseRow, sql.TAKE_USES, (clock.to_text(now), agent_id, key))
    listed = as_list(row.memory_id for row in rows)
    unused = dict(tx.tuples(sql.UNUSED_SESSIONS, (agent_id, listed)))
    return {
        row.memory_id: Use(hits=row.hits, rating=row.rating, unused=unused.get(row.memory_id, 0))
        for row in rows
    }


def shown(tx: ReadTx, agent_id: str, key: str) -> list[Shown]:
    """Return a session's injected memories that still exist, best first."""
    return tx.rows(sql.Shown, sql.SHOWN, (agent_id, key))


def set_relevance(
    tx: WriteTx, agent_id: str, key: str, judged: Iterable[tuple[str, float]]
) -> None:
    """Store the relevance of memories to a session, 0..1, as judged by a model."""
    tx.many(sql.SET_RELEVANCE, [(value, agent_id, key, memory_id) for memory_id, value in judged])


def delete_old_uses(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest candidates and return their number."""
    return tx.run(sql.DELETE_OLD, (before, limit))
