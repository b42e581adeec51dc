"""SQL of `session_memories` (candidates and their use) and `agent_feedback`."""

from typing import NamedTuple

from signet.db.dialect import LIST, by_index, list_of


class UseRow(NamedTuple):
    """A memory's use in a session: the prompts that found it, and the mean rating."""

    memory_id: str
    hits: int
    rating: float | None


class Shown(NamedTuple):
    """An injected memory."""

    memory_id: str
    content: str


START = """
INSERT INTO session_memories (id, agent_id, session_key, memory_id, source, effective_score, final_score, rank,
    was_injected, created_at)
VALUES (:id, :agent, :key, :memory, :source, :score, :score, :rank, :injected, :at)
ON CONFLICT (agent_id, session_key, memory_id) DO UPDATE SET was_injected = max(was_injected, excluded.was_injected)"""
PROMPT = """
INSERT INTO session_memories (id, agent_id, session_key, memory_id, source, final_score, rank, was_injected,
    fts_hit_count, created_at)
VALUES (:id, :agent, :key, :memory, :source, :score, :rank, :injected, 1, :at)
ON CONFLICT (agent_id, session_key, memory_id) DO UPDATE SET
    was_injected = max(was_injected, excluded.was_injected), fts_hit_count = fts_hit_count + 1"""
DELETE_OF = "DELETE FROM session_memories WHERE agent_id = ? AND session_key = ?"
SHOWN = """
SELECT m.id AS memory_id, m.content FROM session_memories s JOIN memories m ON m.id = s.memory_id
 WHERE s.agent_id = ? AND s.session_key = ? AND s.was_injected = 1 AND m.is_deleted = 0 ORDER BY s.rank"""
RATEABLE = """
SELECT memory_id FROM session_memories
 WHERE agent_id = ? AND session_key = ? AND (was_injected = 1 OR fts_hit_count > 0)"""
RATE = """
UPDATE session_memories
   SET agent_relevance_score = (coalesce(agent_relevance_score, 0) * agent_feedback_count + :score)
                               / (agent_feedback_count + 1),
       agent_feedback_count = agent_feedback_count + 1
 WHERE agent_id = :agent AND session_key = :session AND memory_id = :memory"""
INSERT_FEEDBACK = """
INSERT INTO agent_feedback (id, agent_id, memory_id, session_id, feedback_type, score, correction_text, actor,
    created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
SAID_IN_SESSION = """
SELECT memory_id, avg(score), max(feedback_type = 'correction') FROM agent_feedback
 WHERE session_id = ?2 AND agent_id = ?1 GROUP BY memory_id"""
BALANCES = f"""
SELECT memory_id, sum(CASE feedback_type WHEN 'negative' THEN 1 ELSE -1 END) FROM (
  SELECT memory_id, feedback_type, row_number() OVER (PARTITION BY memory_id ORDER BY created_at DESC, rowid DESC) AS n
    FROM agent_feedback
   WHERE agent_id = ?1 AND memory_id IN {list_of("?2")} AND created_at >= ?3 AND feedback_type <> 'correction')
 WHERE n <= ?4 GROUP BY memory_id"""
SET_RELEVANCE = """
UPDATE session_memories SET relevance_score = ? WHERE agent_id = ? AND session_key = ? AND memory_id = ?"""
TAKE_USES = """
UPDATE session_memories SET weighed_at = ?
 WHERE agent_id = ? AND session_key = ? AND was_injected = 1 AND weighed_at IS NULL
RETURNING memory_id, fts_hit_count AS hits, agent_relevance_score AS rating"""
#: Consecutive sessions, up to now, with the memory as candidate but without a hit or rating.
UNUSED_SESSIONS = f"""
SELECT memory_id, count(*) FROM session_memories s {by_index("idx_session_memories_memory")}
 WHERE agent_id = ?1 AND was_injected = 1 AND memory_id IN {list_of("?2")} AND rowid > coalesce((
  SELECT max(rowid) FROM session_memories o WHERE o.agent_id = ?1 AND o.memory_id = s.memory_id
    AND o.was_injected = 1 AND (o.fts_hit_count > 0 OR o.agent_relevance_score IS NOT NULL)), 0)
 GROUP BY memory_id"""
#: Reads only the oldest rows, in insertion order, because the table has no index on its time.
DELETE_OLD = (
    "DELETE FROM session_memories WHERE created_at < ? AND rowid IN"
    " (SELECT rowid FROM session_memories ORDER BY rowid LIMIT ?)"
)

DELETE_OF_MEMORIES = (
    f"DELETE FROM agent_feedback WHERE memory_id IN {LIST}",
    f"DELETE FROM session_memories WHERE memory_id IN {LIST}",
)
