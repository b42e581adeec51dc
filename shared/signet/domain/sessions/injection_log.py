"""What was brought before a session, kept so that feedback can tell what served it (`session_memories`)."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.sessions.candidates import Offer

_OFFER = """
INSERT INTO session_memories (id, agent_id, session_key, memory_id, source, effective_score, final_score, rank,
    was_injected, created_at)
VALUES (:id, :agent, :key, :memory, :source, :score, :score, :rank, :injected, :at)
ON CONFLICT (agent_id, session_key, memory_id) DO UPDATE SET was_injected = max(was_injected, excluded.was_injected)"""
_HIT = """
INSERT INTO session_memories (id, agent_id, session_key, memory_id, source, final_score, rank, was_injected,
    fts_hit_count, created_at)
VALUES (:id, :agent, :key, :memory, 'fts_only', :score, :rank, :injected, 1, :at)
ON CONFLICT (agent_id, session_key, memory_id) DO UPDATE SET
    was_injected = max(was_injected, excluded.was_injected), fts_hit_count = fts_hit_count + 1"""
_COUNT = "UPDATE memories SET access_count = access_count + 1 WHERE id = ?"


def at_start(
    tx: WriteTx,
    agent_id: str,
    key: str,
    offers: Sequence[Offer],
    told: Iterable[str],
    *,
    now: datetime,
) -> None:
    """Keep what could have been told at the start, best first, and which of it was."""
    injected, at = frozenset(told), clock.to_text(now)
    tx.many(
        _OFFER,
        [
            {
                "id": ids.new_ordered_id(),
                "agent": agent_id,
                "key": key,
                "memory": one.id,
                "source": one.source,
                "score": one.score,
                "rank": rank,
                "injected": one.id in injected,
                "at": at,
            }
            for rank, one in enumerate(offers)
        ],
    )


def at_prompt(
    tx: WriteTx,
    agent_id: str,
    key: str,
    hits: Sequence[tuple[str, float]],
    told: Iterable[str],
    *,
    now: datetime,
) -> None:
    """Count what a prompt found, id and score, best first, and keep which of it was told (HK-61)."""
    injected, at = frozenset(told), clock.to_text(now)
    tx.many(
        _HIT,
        [
            {
                "id": ids.new_ordered_id(),
                "agent": agent_id,
                "key": key,
                "memory": memory_id,
                "score": score,
                "rank": rank,
                "injected": memory_id in injected,
                "at": at,
            }
            for rank, (memory_id, score) in enumerate(hits)
        ],
    )


def count(tx: WriteTx, memory_ids: Iterable[str]) -> None:
    """Count an access of each memory that was told, without making it look used: its decay goes on (HK-45)."""
    tx.many(_COUNT, [(one,) for one in memory_ids])
