"""SQL of `session_injections`, `injected_items`, `session_memories` and `agent_feedback`; reads `session_steps`."""

import json
from typing import Literal, NamedTuple

from signet.db import ReadTx
from signet.db.dialect import LIST, THEN_JOIN, by_index, list_of
from signet.db.visibility import OF_AGENT
from signet.domain.injections.models import Spans

#: Sessions to search for similar keys.
KNOWN_KEYS = 500


class InjectionRow(NamedTuple):
    """One injection of a session; `prompt` is the number of its prompt."""

    seq: int
    harness: str
    project: str | None
    phase: str
    prompt: int
    prompt_hash: str | None
    chars: int
    best_score: float | None
    floor: float | None
    created_at: str


class ItemRow(NamedTuple):
    """One item of an injection; `spans` and `used_in` are JSON."""

    injection_seq: int
    place: int
    kind: str
    source_id: str
    is_given: int
    reason: str
    score: float | None
    said_at: str | None
    chars: int
    text_hash: str | None
    spans: str | None
    used: Literal["named", "quoted", "values", "words", "no"] | None
    used_in: str | None
    base: float | None
    learned: float | None
    team: str | None


class NewRow(NamedTuple):
    """An injection's fields for watchers."""

    seq: int
    agent_id: str
    session_key: str
    project: str | None
    phase: str


class InjectedSession(NamedTuple):
    agent_id: str
    session_key: str
    project: str | None


PROMPTS = """
SELECT coalesce(max(prompt), 0) FROM session_injections WHERE agent_id = ? AND session_key = ?"""
INSERT = """
INSERT INTO session_injections (agent_id, session_key, harness, project, phase, prompt, prompt_hash, chars, best_score,
    floor, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq"""
INSERT_ITEM = """
INSERT INTO injected_items (injection_seq, place, kind, source_id, is_given, reason, score, said_at, chars, text_hash,
    spans, base, learned, team) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
OF_SESSION = f"""
SELECT {", ".join(InjectionRow._fields)} FROM session_injections WHERE agent_id = ? AND session_key = ? ORDER BY seq"""
KNOWN = "SELECT 1 FROM session_injections WHERE agent_id = ? AND session_key = ? LIMIT 1"
_ITEMS = f"""
SELECT {", ".join(f"i.{name}" for name in ItemRow._fields)}
  FROM session_injections s JOIN injected_items i ON i.injection_seq = s.seq
 WHERE s.agent_id = ? AND s.session_key = ? ORDER BY i.injection_seq, i.place"""
LAST = "SELECT coalesce(max(seq), 0) FROM session_injections"
SINCE = f"""
SELECT {", ".join(NewRow._fields)} FROM session_injections WHERE seq > ? ORDER BY seq LIMIT ?"""
USES = f"""
SELECT s.agent_id, s.session_key, s.harness, s.project, s.phase, s.prompt, s.created_at AS at, i.is_given AS given,
       i.reason, i.score,
       CASE WHEN NOT i.is_given THEN NULL WHEN i.used IS NULL THEN 'not known yet'
            WHEN i.used = 'no' THEN 'not used' ELSE 'used' END AS use
  FROM injected_items i {THEN_JOIN} session_injections s ON s.seq = i.injection_seq
 WHERE i.kind = 'memory' AND i.source_id = :memory AND {OF_AGENT}
   AND (:within IS NULL OR s.project = :within) ORDER BY s.seq DESC LIMIT :limit"""
SESSIONS = f"""
SELECT s.agent_id, s.session_key, s.project FROM (
SELECT max(seq) AS seq FROM session_injections
 WHERE {OF_AGENT} AND (:within IS NULL OR project = :within)
   AND (:project IS NULL OR project = :project OR substr(:project, 1, length(project) + 1) = project || '/')
 GROUP BY agent_id, session_key ORDER BY 1 DESC LIMIT :limit) n
  JOIN session_injections s ON s.seq = n.seq ORDER BY s.seq DESC"""
USE = "UPDATE injected_items SET used = ?, used_in = ? WHERE injection_seq = ? AND place = ?"
PUT_STEPS = """
INSERT INTO session_steps (agent_id, session_key, content) VALUES (?, ?, ?)
ON CONFLICT (agent_id, session_key) DO UPDATE SET content = excluded.content"""
STEPS_SAYING = (
    "SELECT rowid, agent_id, content FROM session_steps WHERE rowid > ? ORDER BY rowid LIMIT ?"
)
DROP_STEPS = "DELETE FROM session_steps WHERE ? IS NOT NULL AND rowid = ? AND content = ?"
STEPS = "SELECT content FROM session_steps WHERE agent_id = ? AND session_key = ?"
DELETE_STEPS = "DELETE FROM session_steps WHERE agent_id = ? AND session_key = ? AND content = ?"
#: Left behind by a dead job.
DELETE_LOST_STEPS = """
DELETE FROM session_steps AS t WHERE NOT EXISTS (
  SELECT 1 FROM session_injections s WHERE s.agent_id = t.agent_id AND s.session_key = t.session_key)"""
PUT_SECTION = "INSERT OR IGNORE INTO section_texts (agent_id, text_hash, content) VALUES (?, ?, ?)"
SECTION = "SELECT content FROM section_texts WHERE agent_id = ? AND text_hash = ?"
SECTIONS_SAYING = (
    "SELECT rowid, agent_id, content FROM section_texts WHERE rowid > ? ORDER BY rowid LIMIT ?"
)
CLEAN_SECTION = "UPDATE section_texts SET content = ? WHERE rowid = ? AND content = ?"
#: Sections without a session.
DELETE_LOST_SECTIONS = """
DELETE FROM section_texts AS t WHERE NOT EXISTS (
  SELECT 1 FROM injected_items i JOIN session_injections s ON s.seq = i.injection_seq
   WHERE i.kind = 'section' AND i.text_hash = t.text_hash AND s.agent_id = t.agent_id)"""
OLD = "SELECT seq FROM session_injections WHERE created_at < ? ORDER BY seq LIMIT ?"
OF_KEY = "SELECT seq FROM session_injections WHERE agent_id = ? AND session_key = ?"
DELETE_STEPS_OF = "DELETE FROM session_steps WHERE agent_id = ? AND session_key = ?"
DELETE_ITEMS = f"DELETE FROM injected_items WHERE injection_seq IN {LIST}"
SESSIONS_OF = f"SELECT DISTINCT agent_id, session_key FROM session_injections WHERE seq IN {LIST}"
DELETE = f"DELETE FROM session_injections WHERE seq IN {LIST}"
RUNS = (
    "SELECT count(*) FROM session_states WHERE agent_id = ? AND session_key = ? AND expires_at > ?"
)


def spans_of(item: ItemRow) -> Spans:
    return [(start, length) for start, length in json.loads(item.spans)] if item.spans else []


def items(tx: ReadTx, agent_id: str, key: str) -> list[ItemRow]:
    return tx.rows(ItemRow, _ITEMS, (agent_id, key))


class UseRow(NamedTuple):
    """A memory's use in a session: the prompts that found it, and the mean rating."""

    memory_id: str
    hits: int
    rating: float | None


class Shown(NamedTuple):
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
