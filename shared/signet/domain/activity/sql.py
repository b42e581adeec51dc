"""Rows of errors, counters, telemetry events and provider outcomes; and the rows of other tables about one ID."""

from typing import NamedTuple

#: Rows of `runtime_counters` that a daemon start deletes carry this boot id; others are kept.
LIFE = "daemon"

ADD_COUNT = """
INSERT INTO runtime_counters (process, boot_id, name, key, value) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (process, boot_id, name, key) DO UPDATE SET value = value + excluded.value"""
COUNTED_NAMES = "SELECT DISTINCT key FROM runtime_counters WHERE process = ? AND boot_id = ?"
COUNTERS = "SELECT key, name, value FROM runtime_counters WHERE process = ? AND boot_id = ?"
LASTING_COUNT = "SELECT value FROM runtime_counters WHERE process = ? AND boot_id = '' AND name = ?"
ADD_ERROR = """
INSERT INTO error_events (timestamp, stage, code, message, request_id, memory_id, actor)
VALUES (?, ?, ?, ?, ?, ?, ?)"""
ADD_OUTCOME = (
    "INSERT INTO provider_outcomes (provider, kind, outcome, error, at) VALUES (?, ?, ?, ?, ?)"
)
TRIM = "DELETE FROM {table} WHERE seq <= (SELECT MAX(seq) FROM {table}) - ?"
ADD_EVENT = "INSERT INTO telemetry_events (id, event, timestamp, properties, created_at) VALUES (?, ?, ?, ?, ?)"
RESET = (
    "DELETE FROM error_events",
    "DELETE FROM provider_outcomes",
    f"DELETE FROM runtime_counters WHERE boot_id = '{LIFE}'",
)
PURGE_EVENTS = """
DELETE FROM telemetry_events WHERE rowid IN (
    SELECT rowid FROM telemetry_events WHERE timestamp < ? ORDER BY timestamp LIMIT ?)"""

ERRORS = """
SELECT timestamp, stage, code, message, request_id, memory_id, actor FROM error_events
 WHERE (:stage IS NULL OR stage = :stage) AND (:since IS NULL OR timestamp >= :since)
 ORDER BY seq DESC LIMIT :limit"""
ERROR_COUNTS = """
SELECT code, COUNT(*) FROM error_events WHERE (:stage IS NULL OR stage = :stage) GROUP BY code ORDER BY code"""
ERRORS_ABOUT = """
SELECT timestamp, 'error' AS source, 'error:' || stage || ':' || code AS event,
       json_object('message', message, 'memoryId', memory_id, 'requestId', request_id) AS details FROM error_events
 WHERE memory_id = :id OR request_id = :id OR instr(message, :id) > 0 ORDER BY seq DESC LIMIT 500"""

_EVENTS = "SELECT id, event, timestamp, properties FROM telemetry_events"
_WITHIN = """
(:event IS NULL OR event = :event) AND (:since IS NULL OR timestamp >= :since)
   AND (:until IS NULL OR timestamp <= :until)"""
NEWEST_EVENTS = f"{_EVENTS} WHERE {_WITHIN} ORDER BY timestamp DESC, id DESC LIMIT :limit"
EVENTS_PAGE = f"""
{_EVENTS} WHERE {_WITHIN}
   AND (:after = '' OR (timestamp, id) > (SELECT timestamp, id FROM telemetry_events WHERE id = :after))
 ORDER BY timestamp, id LIMIT :limit"""
LLM_TOTALS = """
SELECT COUNT(*) AS calls, COALESCE(SUM(json_extract(properties, '$.success') = 0), 0) AS errors,
       COALESCE(SUM(json_extract(properties, '$.inputTokens')), 0) AS input_tokens,
       COALESCE(SUM(json_extract(properties, '$.outputTokens')), 0) AS output_tokens,
       COALESCE(SUM(json_extract(properties, '$.totalCost')), 0) AS cost
  FROM telemetry_events WHERE event = 'llm.generate' AND (:since IS NULL OR timestamp >= :since)"""
LLM_DURATION = """
SELECT json_extract(properties, '$.durationMs') FROM telemetry_events
 WHERE event = 'llm.generate' AND (:since IS NULL OR timestamp >= :since)
 ORDER BY 1 LIMIT 1 OFFSET :place"""
EVENT_COUNT = "SELECT COUNT(*) FROM telemetry_events WHERE :since IS NULL OR timestamp >= :since"
PIPELINE_ERRORS = """
SELECT json_extract(properties, '$.stage') AS stage, json_extract(properties, '$.code') AS code, COUNT(*) AS errors
  FROM telemetry_events WHERE event = 'pipeline.error' AND (:since IS NULL OR timestamp >= :since)
 GROUP BY stage, code ORDER BY stage, code"""
_BY_TEN_MINUTES = "SELECT substr({at}, 1, 15), {number} FROM {rows} AND {at} >= :since GROUP BY 1"


def _series(rows: str, at: str = "created_at", number: str = "count(*)") -> str:
    return _BY_TEN_MINUTES.format(rows=rows, at=at, number=number)


#: How often things happened since an instant, by ten minutes. Tokens of prompts are estimated: four characters each.
SERIES = {
    "added": _series("memories WHERE 1"),
    "forgotten": _series("memory_history WHERE event IN ('deleted', 'rejected')"),
    "corrected": _series(
        "memories WHERE superseded_by IS NOT NULL", "coalesce(valid_to, updated_at)"
    ),
    "recalls": _series("telemetry_events WHERE event = 'recall.performed'", "timestamp"),
    "sessions": _series("session_injections WHERE phase = 'start'"),
    "prompts": _series("session_injections WHERE phase = 'prompt'"),
    "told_tokens": _series("session_injections WHERE 1", number="sum(chars + 3) / 4"),
    "llm_calls": _series("provider_usage WHERE 1", "hour || ':0'", "sum(calls)"),
    "llm_tokens": _series("provider_usage WHERE 1", "hour || ':0'", "sum(tokens)"),
    "jobs_done": _series("memory_jobs WHERE status = 'completed'", "completed_at"),
    "jobs_dead": _series("memory_jobs WHERE status = 'dead'", "failed_at"),
    "errors": _series("error_events WHERE 1", "timestamp"),
}
#: How long recalls took, in milliseconds, each with its ten minutes: percentiles cannot be added up.
RECALL_TIMES = """
SELECT substr(timestamp, 1, 15), json_extract(properties, '$.latencyMs') FROM telemetry_events
 WHERE event = 'recall.performed' AND timestamp >= :since"""
#: The columns of an exported label: ids and numbers, no text (PR-2).
PAIR = (
    "id", "agent_id", "session_key", "memory_id", "recency_days", "access_count", "importance", "decay_factor",
    "embedding_similarity", "entity_slot", "aspect_slot", "is_constraint", "structural_density", "fts_hit_count",
    "agent_relevance_score", "continuity_score", "fts_overlap_score", "combined_label", "was_injected",
    "predictor_rank", "baseline_rank", "created_at",
)  # fmt: skip
#: One row for each label that counts. No vectors are learned from, and word overlap is not judged.
TRAINING_PAIRS = """
SELECT CAST(l.rowid AS TEXT), l.agent_id, l.session_key, l.memory_id,
       max(0, julianday(l.created_at) - julianday(m.created_at)), m.access_count, m.importance, NULL,
       NULL, s.entity_slot, s.aspect_slot, coalesce(s.is_constraint, m.type = 'constraint'), s.structural_density,
       coalesce(s.fts_hit_count, 0), s.agent_relevance_score,
       (SELECT score FROM session_scores j WHERE j.agent_id = l.agent_id AND j.session_key = l.session_key
         ORDER BY j.created_at DESC LIMIT 1), NULL, l.label, l.was_given, s.predictor_rank, s.rank, l.created_at
  FROM memory_labels l LEFT JOIN memories m ON m.id = l.memory_id
       LEFT JOIN session_memories s ON s.agent_id = l.agent_id AND s.session_key = l.session_key
                                       AND s.memory_id = l.memory_id
 WHERE l.weight > 0 AND (:agent IS NULL OR l.agent_id = :agent) AND l.agent_id NOT GLOB :hidden
   AND (:since IS NULL OR l.created_at >= :since)
   AND (:until IS NULL OR l.created_at <= :until)
   AND (:after = '' OR (l.created_at, l.rowid) > (
         SELECT created_at, rowid FROM memory_labels WHERE rowid = CAST(:after AS INTEGER)))
 ORDER BY l.created_at, l.rowid LIMIT :limit"""
INVENTORY = """
SELECT (SELECT COUNT(*) FROM memories WHERE is_deleted = 0) AS memories,
       (SELECT COUNT(*) FROM connectors WHERE status <> 'error') AS connectors"""

SCORES = """
SELECT id, session_key, project, harness, score, memories_recalled, memories_used, novel_context_count, reasoning,
       created_at
  FROM session_scores WHERE (:project IS NULL OR project = :project) AND agent_id NOT GLOB :hidden
 ORDER BY created_at DESC, rowid DESC LIMIT :limit"""
#: Sessions without a project are one group (AN-16).
LATEST_SCORES = """
SELECT project, score, created_at FROM (
    SELECT project, score, created_at, rowid AS row,
           ROW_NUMBER() OVER (PARTITION BY project ORDER BY created_at DESC, rowid DESC) AS place
      FROM session_scores WHERE agent_id NOT GLOB ?)
 WHERE place = 1 ORDER BY created_at DESC, row DESC"""

MEMORY_OF_JOB = "SELECT memory_id FROM memory_jobs WHERE id = ?"
#: Whether an owner that is hidden from the caller has anything of this ID.
IS_HIDDEN = """
SELECT 1 FROM memories WHERE id = :id AND agent_id GLOB :hidden
 UNION ALL SELECT 1 FROM memory_jobs WHERE id = :id AND agent_id GLOB :hidden
 UNION ALL SELECT 1 FROM session_transcripts WHERE session_key = :id AND agent_id GLOB :hidden
 UNION ALL SELECT 1 FROM session_checkpoints WHERE session_key = :id AND agent_id GLOB :hidden
 UNION ALL SELECT 1 FROM session_scores WHERE session_key = :id AND agent_id GLOB :hidden LIMIT 1"""
KNOWN_AS = """
SELECT EXISTS (SELECT 1 FROM memory_history WHERE memory_id = :id)
       OR EXISTS (SELECT 1 FROM memories WHERE id = :id) AS memory,
       EXISTS (SELECT 1 FROM memory_history WHERE request_id = :id) AS request,
       EXISTS (SELECT 1 FROM memory_history WHERE session_id = :id)
       OR EXISTS (SELECT 1 FROM session_transcripts WHERE session_key = :id)
       OR EXISTS (SELECT 1 FROM session_checkpoints WHERE session_key = :id)
       OR EXISTS (SELECT 1 FROM session_scores WHERE session_key = :id) AS session"""
HISTORY = """
SELECT event, changed_by, reason, metadata, created_at, old_content IS NOT NULL AS has_old,
       new_content IS NOT NULL AS has_new
  FROM memory_history WHERE {column} = ? ORDER BY created_at DESC, rowid DESC LIMIT ?"""
#: When the states of jobs began: of a memory, or of one job.
JOBS = """
WITH jobs AS (SELECT * FROM memory_jobs WHERE memory_id = :memory OR id = :id
               ORDER BY created_at DESC, rowid DESC LIMIT :limit)
SELECT at AS timestamp, 'job' AS source, 'job:' || job_type || ':' || state AS event, details FROM (
  SELECT created_at AS at, job_type, 'created' AS state, json_object('jobId', id, 'status', status) AS details FROM jobs
  UNION ALL SELECT leased_at, job_type, 'leased', json_object('jobId', id, 'attempt', attempts) FROM jobs
  UNION ALL SELECT completed_at, job_type, 'completed', json_object('jobId', id, 'attempt', attempts) FROM jobs
  UNION ALL SELECT failed_at, job_type, 'failed', json_object('jobId', id, 'attempt', attempts, 'error', error)
    FROM jobs)
 WHERE at IS NOT NULL"""
COMPARISONS = """
SELECT created_at AS timestamp, 'predictor' AS source,
       'predictor:comparison:' || iif(predictor_won, 'won', 'lost') AS event,
       json_object('ndcg', predictor_ndcg, 'baselineNdcg', baseline_ndcg, 'margin', margin, 'alpha', alpha,
                   'candidateCount', candidate_count) AS details
  FROM predictor_session_comparisons WHERE session_key = ? ORDER BY created_at DESC LIMIT ?"""


class Counter(NamedTuple):
    """One counter of the caller or connector `key`."""

    key: str
    name: str
    value: float


class LlmTotals(NamedTuple):
    calls: int
    errors: int
    input_tokens: int
    output_tokens: int
    cost: float


class PipelineErrors(NamedTuple):
    stage: str
    code: str
    errors: int


class KnownAs(NamedTuple):
    """The kinds of things that have an ID: 1 or 0 each."""

    memory: int
    request: int
    session: int


class LoggedChange(NamedTuple):
    """One change of a memory, without its texts."""

    event: str
    changed_by: str
    reason: str | None
    metadata: str | None
    created_at: str
    has_old: int
    has_new: int
