"""SQL of `memory_labels`, `memory_worth`, `session_outcomes`."""

from typing import NamedTuple

from signet.db.dialect import LIST, THEN_JOIN, list_of, list_rows


class Sums(NamedTuple):
    """A memory's labels in total: weights for and against it, and their number."""

    memory_id: str
    helped: float
    hurt: float
    times_helped: int
    times: int


class LearningState(NamedTuple):
    """The stored state of learned ranking for one agent."""

    alpha: float
    success_rate: float
    cold_start_exited: int
    judged_since: str | None
    last_rollback: str | None


LABELLED = "SELECT memory_id FROM memory_labels WHERE agent_id = ? AND session_key = ?"
DELETE_LABELS = "DELETE FROM memory_labels WHERE agent_id = ? AND session_key = ?"
INSERT_LABEL = """
INSERT INTO memory_labels (agent_id, session_key, memory_id, label, weight, reason, place, was_given, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
#: From the last ?3 sessions. A label between 0 and ±1 counts in part.
SUMS = f"""
SELECT memory_id, sum(max(label, 0) * weight) AS helped, sum(max(-label, 0) * weight) AS hurt,
       sum(label > 0) AS times_helped, count(*) AS times
  FROM (SELECT memory_id, label, weight,
               row_number() OVER (PARTITION BY memory_id ORDER BY created_at DESC, session_key DESC) AS place
          FROM memory_labels
         WHERE agent_id = ?1 AND memory_id IN {list_of("?2")} AND (was_given OR weight > 0))
 WHERE place <= ?3 AND weight > 0 AND label <> 0
 GROUP BY memory_id"""
PUT_WORTH = """
INSERT INTO memory_worth (agent_id, memory_id, helped, times, learned, rated) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (agent_id, memory_id) DO UPDATE SET helped = excluded.helped, times = excluded.times,
    learned = excluded.learned, rated = excluded.rated"""
DELETE_WORTH = f"DELETE FROM memory_worth WHERE agent_id = ?1 AND memory_id IN {list_of('?2')}"
#: Pinned memories, and constraints.
_IS_HELD = """(m.pinned OR m.type = 'constraint' OR EXISTS (
   SELECT 1 FROM entity_attributes a
    WHERE a.source_memory_id = m.id AND a.kind = 'constraint' AND a.status = 'active'))"""
HELD = f"""
SELECT m.id FROM {list_rows("?1")} j {THEN_JOIN} memories m ON m.id = j.value WHERE {_IS_HELD}"""
#: A number that triggers increase with each change of `WORTH`'s result; none without any.
WORTH_CHANGES = "SELECT number FROM memory_worth_changes WHERE agent_id = ?"
#: Protected memories are not lowered.
WORTH = f"""
SELECT seq, id, helped, times, iif(is_held, max(1.0, learned), learned), iif(is_held, 1.0, rated) FROM (
  SELECT m.seq, m.id, w.helped, w.times, w.learned, w.rated,
         (w.learned < 1 OR w.rated < 1) AND {_IS_HELD} AS is_held
    FROM memory_worth w JOIN memories m ON m.id = w.memory_id WHERE w.agent_id = ?)"""
PUT_OUTCOME = """
INSERT OR REPLACE INTO session_outcomes (agent_id, session_key, project, is_held_out, prompts, corrections, asked_again,
    given, used, missed, tokens, tokens_used, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
PUT_COMPARISON = """
INSERT INTO predictor_session_comparisons (id, agent_id, session_key, predictor_ndcg, baseline_ndcg, predictor_won,
    margin, alpha, ema_updated, counted, project, candidate_count, predictor_top_ids, baseline_top_ids,
    relevance_scores, created_at, success_rate, focal_entity_id, focal_entity_name)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1, ?10, ?11, ?12, ?13, ?14, ?15, ?16, e.id, e.name
  FROM (SELECT 1) LEFT JOIN entities e ON e.agent_id = ?2 AND e.id = (
    SELECT json_extract(focal_entity_ids, '$[0]') FROM session_checkpoints
     WHERE session_key = ?3 AND agent_id = ?2 AND json_valid(focal_entity_ids) ORDER BY created_at DESC LIMIT 1)
 WHERE true
ON CONFLICT (agent_id, session_key) DO UPDATE SET predictor_ndcg = excluded.predictor_ndcg,
    baseline_ndcg = excluded.baseline_ndcg, predictor_won = excluded.predictor_won, margin = excluded.margin,
    ema_updated = excluded.ema_updated, candidate_count = excluded.candidate_count,
    predictor_top_ids = excluded.predictor_top_ids, baseline_top_ids = excluded.baseline_top_ids,
    relevance_scores = excluded.relevance_scores"""
DELETE_COMPARISON = (
    "DELETE FROM predictor_session_comparisons WHERE agent_id = ? AND session_key = ?"
)
#: The newest sessions, oldest first.
MARGINS = """
SELECT margin FROM (
  SELECT margin, created_at, rowid AS number FROM predictor_session_comparisons
   WHERE agent_id = ?1 AND counted = 1 AND created_at >= coalesce(?2, '')
   ORDER BY created_at DESC, rowid DESC LIMIT ?3) ORDER BY created_at, number"""
STATE = """
SELECT alpha, success_rate, cold_start_exited, judged_since, last_rollback
  FROM predictor_state WHERE agent_id = ?"""
ALPHA = "SELECT alpha FROM predictor_state WHERE agent_id = ?"
PUT_STATE = """
INSERT INTO predictor_state (agent_id, alpha, success_rate, sessions_after_cold_start, cold_start_exited,
    last_comparison_at, judged_since, last_rollback, updated_at)
VALUES (:agent, :alpha, :rate, :sessions, :is_on, :at, :since, :rollback, :at)
ON CONFLICT (agent_id) DO UPDATE SET alpha = :alpha, success_rate = :rate, sessions_after_cold_start = :sessions,
    cold_start_exited = :is_on, last_comparison_at = :at, judged_since = :since,
    last_rollback = coalesce(:rollback, last_rollback), updated_at = :at"""
OLDEST = "SELECT rowid, agent_id, memory_id FROM memory_labels WHERE created_at < ? ORDER BY created_at LIMIT ?"
DELETE_ROWS = f"DELETE FROM memory_labels WHERE rowid IN {LIST}"
DELETE_COMPARISONS = (
    "DELETE FROM predictor_session_comparisons WHERE rowid IN"
    " (SELECT rowid FROM predictor_session_comparisons WHERE created_at < ? ORDER BY created_at LIMIT ?)"
)
DELETE_OUTCOMES = (
    "DELETE FROM session_outcomes WHERE rowid IN"
    " (SELECT rowid FROM session_outcomes WHERE created_at < ? ORDER BY created_at LIMIT ?)"
)
DELETE_OF_MEMORIES = (
    f"DELETE FROM memory_labels WHERE memory_id IN {LIST}",
    f"DELETE FROM memory_worth WHERE memory_id IN {LIST}",
)


KNOWN_MEMORIES = """
SELECT memory_id FROM memory_labels WHERE agent_id = ?1 UNION SELECT memory_id FROM memory_worth WHERE agent_id = ?1"""
TIMES = f"SELECT coalesce(sum(times), 0) FROM memory_worth WHERE agent_id = ?1 AND memory_id IN {list_of('?2')}"
ALL_LABELS = "SELECT count(*) FROM memory_labels WHERE agent_id = ?"
LABEL_COUNT = (
    "SELECT count(*), max(created_at) FROM memory_labels WHERE agent_id = ? AND weight > 0"
)
TRAINED = "SELECT EXISTS (SELECT 1 FROM memory_worth WHERE agent_id = ? AND learned <> 1)"
_ASKED = """
 WHERE agent_id = :agent AND (:project IS NULL OR project = :project)
   AND (:entity IS NULL OR focal_entity_id = :entity) AND (:since IS NULL OR created_at >= :since)
   AND (:until IS NULL OR created_at <= :until)"""
COUNT_COMPARED = f"SELECT count(*) FROM predictor_session_comparisons{_ASKED}"
COMPARED = f"""
SELECT id, session_key, agent_id, predictor_ndcg, baseline_ndcg, predictor_won, margin, alpha, ema_updated,
       focal_entity_id, focal_entity_name, project, candidate_count, coalesce(traversal_count, 0) AS traversal_count,
       coalesce(constraint_count, 0) AS constraint_count, scorer_confidence, success_rate, predictor_top_ids,
       baseline_top_ids, relevance_scores, fts_overlap_score, created_at FROM predictor_session_comparisons{_ASKED}
 ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset"""
#: Ties count for neither side (PR-35).
_RESULT = """sum(ema_updated AND predictor_won) AS wins, sum(ema_updated AND NOT predictor_won) AS losses,
       coalesce(1.0 * sum(ema_updated AND predictor_won) / nullif(sum(ema_updated), 0), 0.0) AS win_rate,
       round(avg(margin), 4) AS avg_margin
  FROM predictor_session_comparisons WHERE agent_id = ? AND counted = 1"""
BY_PROJECT = f"SELECT project, {_RESULT} GROUP BY project ORDER BY count(*) DESC, project"
BY_ENTITY = f"""
SELECT focal_entity_id AS entity_id, max(focal_entity_name) AS entity_name, {_RESULT} AND focal_entity_id IS NOT NULL
 GROUP BY focal_entity_id ORDER BY count(*) DESC, focal_entity_id"""
PUT_TRAINING = """
INSERT INTO predictor_training_log (id, agent_id, model_version, sample_count, duration_ms, accepted, reason,
    created_at)
VALUES (?, ?, ?, ?, 0, ?, ?, ?)"""
TRAININGS = """
SELECT id, agent_id, model_version, loss, sample_count, duration_ms, canary_ndcg, canary_ndcg_delta,
       canary_score_variance, canary_topk_churn, accepted, reason, created_at FROM predictor_training_log
 WHERE agent_id = ? ORDER BY created_at DESC, id DESC LIMIT ?"""


class OutcomeRow(NamedTuple):
    is_held_out: int
    prompts: int
    corrections: int
    asked_again: int
    tokens: int
    tokens_used: int


class ToldRow(NamedTuple):
    """In how many sessions a memory was injected, helped and hurt."""

    memory_id: str
    given: int
    helped: int
    hurt: int


OUTCOMES = f"SELECT {', '.join(OutcomeRow._fields)} FROM session_outcomes WHERE agent_id = ?"
HELPED_IN = """
SELECT session_key FROM memory_labels WHERE agent_id = ? AND label > 0 AND weight > 0
 GROUP BY session_key ORDER BY max(created_at) DESC, session_key LIMIT ?"""
RELEVANCE = (
    "SELECT memory_id, max(0.0, label) FROM memory_labels WHERE agent_id = ? AND session_key = ?"
)
#: The number of sessions with injections, and the end of the first one.
EXPERIENCE = (
    "SELECT count(*), min(created_at) FROM session_outcomes WHERE agent_id = ? AND given > 0"
)
_TOLD = """
SELECT memory_id, given, helped, hurt FROM (
  SELECT memory_id, sum(was_given) AS given, sum(label > 0 AND was_given) AS helped, sum(label < 0) AS hurt,
         sum(label <> 0) AS told, sum(reason = 'missed') AS missed
    FROM memory_labels WHERE agent_id = ? GROUP BY memory_id) WHERE """
UNUSED = f"{_TOLD} given > 1 AND told = 0 ORDER BY given DESC, memory_id LIMIT ?"
MISLEADING = f"{_TOLD} hurt > 0 ORDER BY hurt - helped DESC, memory_id LIMIT ?"
MISSED = f"{_TOLD} missed > 0 ORDER BY missed DESC, memory_id LIMIT ?"
HELPFUL = f"{_TOLD} helped > 0 ORDER BY helped - hurt DESC, memory_id LIMIT ?"
#: Prompts, and those without results; withheld results count as found.
PROMPTS = """
SELECT count(*), coalesce(sum(NOT EXISTS (
         SELECT 1 FROM injected_items i
          WHERE i.injection_seq = s.seq AND (i.is_given OR i.reason IN ('said', 'held_out')))), 0)
  FROM session_injections s WHERE agent_id = ? AND phase = 'prompt'"""
