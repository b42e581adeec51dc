"""Rows of errors, counters, telemetry events and provider outcomes; and what other tables hold about one id."""

from collections.abc import Iterable
from typing import NamedTuple

from signet.db import Params, ReadTx, WriteTx

#: Rows of `runtime_counters` that a daemon start deletes carry this boot id; others are kept.
LIFE = "daemon"

_COUNT = """
INSERT INTO runtime_counters (process, boot_id, name, key, value) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (process, boot_id, name, key) DO UPDATE SET value = value + excluded.value"""
_NAMES = "SELECT DISTINCT key FROM runtime_counters WHERE process = ? AND boot_id = ?"
_COUNTED = "SELECT key, name, value FROM runtime_counters WHERE process = ? AND boot_id = ?"
_LASTING_COUNT = (
    "SELECT value FROM runtime_counters WHERE process = ? AND boot_id = '' AND name = ?"
)
_ERROR = """
INSERT INTO error_events (timestamp, stage, code, message, request_id, memory_id, actor)
VALUES (?, ?, ?, ?, ?, ?, ?)"""
_OUTCOME = (
    "INSERT INTO provider_outcomes (provider, kind, outcome, error, at) VALUES (?, ?, ?, ?, ?)"
)
_TRIM = "DELETE FROM {table} WHERE seq <= (SELECT MAX(seq) FROM {table}) - ?"
_EVENT = "INSERT INTO telemetry_events (id, event, timestamp, properties, created_at) VALUES (?, ?, ?, ?, ?)"
_RESET = (
    "DELETE FROM error_events",
    "DELETE FROM provider_outcomes",
    f"DELETE FROM runtime_counters WHERE boot_id = '{LIFE}'",
)
_PURGE = """
DELETE FROM telemetry_events WHERE rowid IN (
    SELECT rowid FROM telemetry_events WHERE timestamp < ? ORDER BY timestamp LIMIT ?)"""

_ERROR_COLUMNS = "timestamp, stage, code, message, request_id, memory_id, actor"
_ERRORS = f"""
SELECT {_ERROR_COLUMNS} FROM error_events
 WHERE (:stage IS NULL OR stage = :stage) AND (:since IS NULL OR timestamp >= :since)
 ORDER BY seq DESC LIMIT :limit"""
_ERROR_COUNTS = """
SELECT code, COUNT(*) FROM error_events WHERE (:stage IS NULL OR stage = :stage) GROUP BY code ORDER BY code"""
_ERRORS_ABOUT = f"""
SELECT {_ERROR_COLUMNS} FROM error_events
 WHERE memory_id = :id OR request_id = :id OR instr(message, :id) > 0 ORDER BY seq DESC LIMIT 500"""

_EVENTS = "SELECT id, event, timestamp, properties FROM telemetry_events"
_WITHIN = """
(:event IS NULL OR event = :event) AND (:since IS NULL OR timestamp >= :since)
   AND (:until IS NULL OR timestamp <= :until)"""
_NEWEST = f"{_EVENTS} WHERE {_WITHIN} ORDER BY timestamp DESC, id DESC LIMIT :limit"
_PAGE = f"""
{_EVENTS} WHERE {_WITHIN}
   AND (:after = '' OR (timestamp, id) > (SELECT timestamp, id FROM telemetry_events WHERE id = :after))
 ORDER BY timestamp, id LIMIT :limit"""
_LLM = """
SELECT COUNT(*) AS calls, COALESCE(SUM(json_extract(properties, '$.success') = 0), 0) AS errors,
       COALESCE(SUM(json_extract(properties, '$.inputTokens')), 0) AS input_tokens,
       COALESCE(SUM(json_extract(properties, '$.outputTokens')), 0) AS output_tokens,
       COALESCE(SUM(json_extract(properties, '$.totalCost')), 0) AS cost
  FROM telemetry_events WHERE event = 'llm.generate' AND (:since IS NULL OR timestamp >= :since)"""
_LLM_DURATION = """
SELECT json_extract(properties, '$.durationMs') FROM telemetry_events
 WHERE event = 'llm.generate' AND (:since IS NULL OR timestamp >= :since)
 ORDER BY 1 LIMIT 1 OFFSET :place"""
_EVENT_COUNT = "SELECT COUNT(*) FROM telemetry_events WHERE :since IS NULL OR timestamp >= :since"
_PIPELINE_ERRORS = """
SELECT json_extract(properties, '$.stage') AS stage, json_extract(properties, '$.code') AS code, COUNT(*) AS errors
  FROM telemetry_events WHERE event = 'pipeline.error' AND (:since IS NULL OR timestamp >= :since)
 GROUP BY stage, code ORDER BY stage, code"""
_INVENTORY = """
SELECT (SELECT COUNT(*) FROM memories WHERE is_deleted = 0) AS memories,
       (SELECT COUNT(*) FROM connectors WHERE status <> 'error') AS connectors"""

_SCORES = """
SELECT id, session_key, project, harness, score, memories_recalled, memories_used, novel_context_count, reasoning,
       created_at
  FROM session_scores WHERE (:project IS NULL OR project = :project)
 ORDER BY created_at DESC, rowid DESC LIMIT :limit"""
#: Sessions without a project are one group (AN-16).
_LATEST_SCORES = """
SELECT project, score, created_at FROM (
    SELECT project, score, created_at, rowid AS row,
           ROW_NUMBER() OVER (PARTITION BY project ORDER BY created_at DESC, rowid DESC) AS place
      FROM session_scores)
 WHERE place = 1 ORDER BY created_at DESC, row DESC"""

_MEMORY_OF_JOB = "SELECT memory_id FROM memory_jobs WHERE id = ?"
_IS_KNOWN_AS = """
SELECT EXISTS (SELECT 1 FROM memory_history WHERE memory_id = :id)
       OR EXISTS (SELECT 1 FROM memories WHERE id = :id) AS memory,
       EXISTS (SELECT 1 FROM memory_history WHERE request_id = :id) AS request,
       EXISTS (SELECT 1 FROM memory_history WHERE session_id = :id)
       OR EXISTS (SELECT 1 FROM session_transcripts WHERE session_key = :id)
       OR EXISTS (SELECT 1 FROM session_checkpoints WHERE session_key = :id)
       OR EXISTS (SELECT 1 FROM session_scores WHERE session_key = :id) AS session"""
_HISTORY = """
SELECT event, changed_by, reason, metadata, created_at, old_content IS NOT NULL AS has_old,
       new_content IS NOT NULL AS has_new
  FROM memory_history WHERE {column} = ? ORDER BY created_at DESC, rowid DESC LIMIT ?"""
_JOBS = """
SELECT id, job_type, status, attempts, error, created_at, leased_at, completed_at, failed_at
  FROM memory_jobs WHERE {column} = ? ORDER BY created_at DESC, rowid DESC LIMIT ?"""
_COMPARISONS = """
SELECT predictor_ndcg, baseline_ndcg, predictor_won, margin, alpha, candidate_count, created_at
  FROM predictor_session_comparisons WHERE session_key = ? ORDER BY created_at DESC LIMIT ?"""


class Counter(NamedTuple):
    """One counter of a caller or connector, whose name is `key`."""

    key: str
    name: str
    value: float


class Error(NamedTuple):
    """One error, its message redacted."""

    timestamp: str
    stage: str
    code: str
    message: str
    request_id: str | None
    memory_id: str | None
    actor: str | None


class Event(NamedTuple):
    """One telemetry event; its properties are a JSON object."""

    id: str
    event: str
    timestamp: str
    properties: str


class LlmTotals(NamedTuple):
    """Sums over calls of language models."""

    calls: int
    errors: int
    input_tokens: int
    output_tokens: int
    cost: float


class PipelineErrors(NamedTuple):
    """How many errors of the pipeline had one stage and code."""

    stage: str
    code: str
    errors: int


class Inventory(NamedTuple):
    """How many memories there are, and how many connectors work."""

    memories: int
    connectors: int


class TrainingPair(NamedTuple):
    """One exported pair of the predictor: ids and numbers, no text (PR-2)."""

    id: str
    agent_id: str
    session_key: str
    memory_id: str
    recency_days: float
    access_count: int
    importance: float
    decay_factor: float
    embedding_similarity: float | None
    entity_slot: int | None
    aspect_slot: int | None
    is_constraint: int
    structural_density: int | None
    fts_hit_count: int
    agent_relevance_score: float | None
    continuity_score: float | None
    fts_overlap_score: float | None
    combined_label: float
    was_injected: int
    predictor_rank: int | None
    baseline_rank: int | None
    created_at: str


class Score(NamedTuple):
    """How well one session was served."""

    id: str
    session_key: str
    project: str | None
    harness: str | None
    score: float
    memories_recalled: int | None
    memories_used: int | None
    novel_context_count: int | None
    reasoning: str | None
    created_at: str


class LatestScore(NamedTuple):
    """The newest score of one project."""

    project: str | None
    score: float
    created_at: str


class KnownAs(NamedTuple):
    """What an id is known as: 1 or 0 each."""

    memory: int
    request: int
    session: int


class Change(NamedTuple):
    """One change of a memory, without its texts."""

    event: str
    changed_by: str
    reason: str | None
    metadata: str | None
    created_at: str
    has_old: int
    has_new: int


class Job(NamedTuple):
    """One job and when its states began."""

    id: str
    job_type: str
    status: str
    attempts: int
    error: str | None
    created_at: str
    leased_at: str | None
    completed_at: str | None
    failed_at: str | None


class Comparison(NamedTuple):
    """How the predictor did in one session, against the baseline."""

    predictor_ndcg: float
    baseline_ndcg: float
    predictor_won: int
    margin: float
    alpha: float
    candidate_count: int
    created_at: str


_RENAMED = {"session_key": "session_id AS session_key", "combined_label": "label AS combined_label"}
_PAIRS = f"""
SELECT {", ".join(_RENAMED.get(name, name) for name in TrainingPair._fields)} FROM predictor_training_pairs
 WHERE (:agent IS NULL OR agent_id = :agent) AND (:since IS NULL OR created_at >= :since)
   AND (:until IS NULL OR created_at <= :until)
   AND (:after = '' OR (created_at, id) > (SELECT created_at, id FROM predictor_training_pairs WHERE id = :after))
 ORDER BY created_at, id LIMIT :limit"""


def add_counts(tx: WriteTx, rows: Iterable[tuple[str, str, str, str, int]]) -> None:
    """Add to counters: rows of process, boot id, name, key and by how much."""
    tx.many(_COUNT, rows)


def counted_keys(tx: ReadTx, process: str) -> set[str]:
    """Return the names that are counted of a process in this life of the daemon."""
    return {key for (key,) in tx.tuples(_NAMES, (process, LIFE))}


def counters(tx: ReadTx, process: str) -> list[Counter]:
    """Return all counters of a process in this life of the daemon."""
    return tx.rows(Counter, _COUNTED, (process, LIFE))


def lasting_count(tx: ReadTx, process: str, name: str) -> int:
    """Return a counter that restarts of the daemon keep, 0 where nothing was counted."""
    return int(tx.value(_LASTING_COUNT, (process, name)) or 0)


def add_errors(tx: WriteTx, rows: Iterable[Error], *, most: int) -> None:
    """Insert errors and delete the oldest beyond `most`."""
    tx.many(_ERROR, rows)
    tx.run(_TRIM.format(table="error_events"), (most,))


def add_outcomes(
    tx: WriteTx, rows: Iterable[tuple[str, str, str, str | None, str]], *, most: int
) -> None:
    """Insert outcomes (provider, kind, outcome, error, instant) and delete the oldest beyond `most`."""
    tx.many(_OUTCOME, rows)
    tx.run(_TRIM.format(table="provider_outcomes"), (most,))


def add_events(tx: WriteTx, rows: Iterable[Event]) -> None:
    """Insert telemetry events."""
    tx.many(_EVENT, [(*row, row.timestamp) for row in rows])


def reset(tx: WriteTx) -> None:
    """Delete errors, outcomes and counters of earlier lives of the daemon."""
    for statement in _RESET:
        tx.run(statement)


def purge_events(tx: WriteTx, before: str, limit: int) -> int:
    """Delete telemetry events that are older than an instant, at most `limit`; return how many."""
    return tx.run(_PURGE, (before, limit))


def errors(tx: ReadTx, *, stage: str | None, since: str | None, limit: int) -> list[Error]:
    """Return errors of a stage or of all, newest first."""
    return tx.rows(Error, _ERRORS, {"stage": stage, "since": since, "limit": limit})


def error_counts(tx: ReadTx, stage: str | None) -> dict[str, int]:
    """Return how many errors of each code are kept, of all stages or of one."""
    return dict(tx.tuples(_ERROR_COUNTS, {"stage": stage}))


def errors_about(tx: ReadTx, entity_id: str) -> list[Error]:
    """Return the errors of a memory or request, and those whose message names the id."""
    return tx.rows(Error, _ERRORS_ABOUT, {"id": entity_id})


def newest_events(tx: ReadTx, bounds: Params) -> list[Event]:
    """Return telemetry events, newest first; bounds are event, since, until and limit."""
    return tx.rows(Event, _NEWEST, bounds)


def events_page(tx: ReadTx, bounds: Params) -> list[Event]:
    """Return the telemetry events that follow the id `after`, oldest first."""
    return tx.rows(Event, _PAGE, bounds)


def training_pairs(tx: ReadTx, bounds: Params) -> list[TrainingPair]:
    """Return the training pairs that follow the id `after`, oldest first; bounds are agent, since, until and limit."""
    return tx.rows(TrainingPair, _PAIRS, bounds)


def event_count(tx: ReadTx, since: str | None) -> int:
    """Return the number of telemetry events since an instant."""
    return int(tx.value(_EVENT_COUNT, {"since": since}))


def llm_totals(tx: ReadTx, since: str | None) -> LlmTotals:
    """Return sums over the calls of language models since an instant."""
    return tx.rows(LlmTotals, _LLM, {"since": since})[0]


def llm_duration(tx: ReadTx, since: str | None, place: int) -> float:
    """Return the duration (ms) at a place of the sorted durations of model calls, 0 where there is none."""
    return tx.value(_LLM_DURATION, {"since": since, "place": place}) or 0


def pipeline_errors(tx: ReadTx, since: str | None) -> list[PipelineErrors]:
    """Return the errors of the pipeline since an instant by stage and code."""
    return tx.rows(PipelineErrors, _PIPELINE_ERRORS, {"since": since})


def inventory(tx: ReadTx) -> Inventory:
    """Return how many memories there are, and how many connectors work."""
    return tx.rows(Inventory, _INVENTORY)[0]


def scores(tx: ReadTx, *, project: str | None, limit: int) -> list[Score]:
    """Return scores of sessions, newest first, of one project or of all."""
    return tx.rows(Score, _SCORES, {"project": project, "limit": limit})


def latest_scores(tx: ReadTx) -> list[LatestScore]:
    """Return the newest score of each project, newest first."""
    return tx.rows(LatestScore, _LATEST_SCORES)


def job_memory(tx: ReadTx, job_id: str) -> tuple[bool, str | None]:
    """Return whether there is such a job, and the memory that it is about."""
    found = tx.tuples(_MEMORY_OF_JOB, (job_id,))
    return bool(found), found[0][0] if found else None


def known_as(tx: ReadTx, entity_id: str) -> KnownAs:
    """Return whether the id is that of a memory, a request or a session."""
    return tx.rows(KnownAs, _IS_KNOWN_AS, {"id": entity_id})[0]


def history(tx: ReadTx, column: str, value: str, limit: int) -> list[Change]:
    """Return the newest changes whose `column` (memory_id, request_id or session_id) is this."""
    return tx.rows(Change, _HISTORY.format(column=column), (value, limit))


def jobs(tx: ReadTx, column: str, value: str, limit: int) -> list[Job]:
    """Return the newest jobs whose `column` (id or memory_id) is this."""
    return tx.rows(Job, _JOBS.format(column=column), (value, limit))


def comparisons(tx: ReadTx, session_key: str, limit: int) -> list[Comparison]:
    """Return how the predictor did in a session, newest first."""
    return tx.rows(Comparison, _COMPARISONS, (session_key, limit))
