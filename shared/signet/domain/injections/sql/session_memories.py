"""Which memories a session could have been given, and how they served it: `session_memories`, `agent_feedback`."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, as_list, list_of


class UseRow(NamedTuple):
    """How a memory served a session: how often its prompts found it, and the mean of its agent's ratings."""

    memory_id: str
    hits: int
    rating: float | None


class Shown(NamedTuple):
    """A memory that a session was given."""

    memory_id: str
    content: str


_START = """
INSERT INTO session_memories (id, agent_id, session_key, memory_id, source, effective_score, final_score, rank,
    was_injected, created_at)
VALUES (:id, :agent, :key, :memory, :source, :score, :score, :rank, :injected, :at)
ON CONFLICT (agent_id, session_key, memory_id) DO UPDATE SET was_injected = max(was_injected, excluded.was_injected)"""
_PROMPT = """
INSERT INTO session_memories (id, agent_id, session_key, memory_id, source, final_score, rank, was_injected,
    fts_hit_count, created_at)
VALUES (:id, :agent, :key, :memory, :source, :score, :rank, :injected, 1, :at)
ON CONFLICT (agent_id, session_key, memory_id) DO UPDATE SET
    was_injected = max(was_injected, excluded.was_injected), fts_hit_count = fts_hit_count + 1"""
_SHOWN = """
SELECT m.id AS memory_id, m.content FROM session_memories s JOIN memories m ON m.id = s.memory_id
 WHERE s.agent_id = ? AND s.session_key = ? AND s.was_injected = 1 AND m.is_deleted = 0 ORDER BY s.rank"""
_RATEABLE = """
SELECT memory_id FROM session_memories
 WHERE agent_id = ? AND session_key = ? AND (was_injected = 1 OR fts_hit_count > 0)"""
_RATE = """
UPDATE session_memories
   SET agent_relevance_score = (coalesce(agent_relevance_score, 0) * agent_feedback_count + :score)
                               / (agent_feedback_count + 1),
       agent_feedback_count = agent_feedback_count + 1
 WHERE agent_id = :agent AND session_key = :session AND memory_id = :memory"""
_INSERT_FEEDBACK = """
INSERT INTO agent_feedback (id, agent_id, memory_id, session_id, feedback_type, score, correction_text, actor,
    created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_SET_RELEVANCE = """
UPDATE session_memories SET relevance_score = ? WHERE agent_id = ? AND session_key = ? AND memory_id = ?"""
_TAKE_USES = """
UPDATE session_memories SET weighed_at = ?
 WHERE agent_id = ? AND session_key = ? AND was_injected = 1 AND weighed_at IS NULL
RETURNING memory_id, fts_hit_count AS hits, agent_relevance_score AS rating"""
#: Sessions in a row, up to now, that had the memory before them without a hit and without a rating.
_UNUSED_SESSIONS = f"""
SELECT memory_id, count(*) FROM session_memories s INDEXED BY idx_session_memories_memory
 WHERE agent_id = ?1 AND was_injected = 1 AND memory_id IN {list_of("?2")} AND rowid > coalesce((
  SELECT max(rowid) FROM session_memories o WHERE o.agent_id = ?1 AND o.memory_id = s.memory_id
    AND o.was_injected = 1 AND (o.fts_hit_count > 0 OR o.agent_relevance_score IS NOT NULL)), 0)
 GROUP BY memory_id"""
#: Only the oldest rows are looked at, in the order in which they were made: the table has no index on its time.
_DELETE_OLD = (
    "DELETE FROM session_memories WHERE created_at < ? AND rowid IN"
    " (SELECT rowid FROM session_memories ORDER BY rowid LIMIT ?)"
)


_DELETE_OF_MEMORIES = (
    f"DELETE FROM agent_feedback WHERE memory_id IN {LIST}",
    f"DELETE FROM session_memories WHERE memory_id IN {LIST}",
)


def put(tx: WriteTx, rows: Iterable[Mapping[str, object]]) -> None:
    """Store candidates of a session's start."""
    tx.many(_START, rows)


def count_hits(tx: WriteTx, rows: Iterable[Mapping[str, object]]) -> None:
    """Store candidates of a prompt, and count that it found them."""
    tx.many(_PROMPT, rows)


def shown(tx: ReadTx, agent_id: str, key: str) -> list[Shown]:
    """Return the memories that a session was given and that are still there, best first."""
    return tx.rows(Shown, _SHOWN, (agent_id, key))


def rateable(tx: ReadTx, agent_id: str, key: str) -> list[str]:
    """Return the memories that a session was given, or that one of its prompts found."""
    return [row[0] for row in tx.tuples(_RATEABLE, (agent_id, key))]


def rate(tx: WriteTx, agent_id: str, key: str, memory_id: str, score: float) -> None:
    """Take a rating into the mean of those of a memory in a session."""
    tx.run(_RATE, {"agent": agent_id, "session": key, "memory": memory_id, "score": score})


def insert_feedback(
    tx: WriteTx,
    agent_id: str,
    key: str,
    memory_id: str,
    *,
    type: str,
    score: float | None = None,
    correction: str | None = None,
    actor: str,
    now: datetime,
) -> None:
    """Store what an agent says of a memory."""
    said = (agent_id, memory_id, key, type, score, correction, actor, clock.to_text(now))
    tx.run(_INSERT_FEEDBACK, (ids.new_ordered_id(), *said))


def set_relevance(tx: WriteTx, agent_id: str, key: str, found: Iterable[tuple[str, float]]) -> None:
    """Store how relevant memories were to a session, 0..1."""
    tx.many(_SET_RELEVANCE, [(value, agent_id, key, memory_id) for memory_id, value in found])


def take_uses(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> list[UseRow]:
    """Return how the memories that a session was given served it, each once: the second call returns nothing."""
    return tx.rows(UseRow, _TAKE_USES, (clock.to_text(now), agent_id, key))


def unused_sessions(tx: ReadTx, agent_id: str, memory_ids: Iterable[str]) -> Mapping[str, int]:
    """Return for memories how many sessions in a row, up to now, were given them and did not use them."""
    return dict(tx.tuples(_UNUSED_SESSIONS, (agent_id, as_list(memory_ids))))


def delete_old(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest rows and return how many."""
    return tx.run(_DELETE_OLD, (before, limit))


def delete_of_memories(tx: WriteTx, memory_ids: Iterable[str]) -> None:
    """Delete every row about these memories."""
    listed = as_list(memory_ids)
    for statement in _DELETE_OF_MEMORIES:
        tx.run(statement, (listed,))
