"""Rows of events and of training pairs, read page by page: each goes on behind the last row of the one before.

Events are written by `analytics.keep`.
"""

import json
import math
from dataclasses import dataclass

from signet.db import ReadTx, Row, WriteTx

#: Rows that are read and sent at a time.
PAGE_ROWS = 1_000
#: The columns of an exported pair (predictor.md §5), by their names there.
PAIR = (
    "id", "agent_id", "session_key", "memory_id", "recency_days", "access_count", "importance", "decay_factor",
    "embedding_similarity", "entity_slot", "aspect_slot", "is_constraint", "structural_density", "fts_hit_count",
    "agent_relevance_score", "continuity_score", "fts_overlap_score", "combined_label", "was_injected",
    "predictor_rank", "baseline_rank", "created_at",
)  # fmt: skip

_WITHIN = """
(:event IS NULL OR event = :event) AND (:since IS NULL OR timestamp >= :since)
   AND (:until IS NULL OR timestamp <= :until)"""
_COLUMNS = "SELECT id, event, timestamp, properties FROM telemetry_events"
_NEWEST = f"{_COLUMNS} WHERE {_WITHIN} ORDER BY timestamp DESC, id DESC LIMIT :limit"
_PAGE = f"""
{_COLUMNS} WHERE {_WITHIN}
   AND (:after = '' OR (timestamp, id) > (SELECT timestamp, id FROM telemetry_events WHERE id = :after))
 ORDER BY timestamp, id LIMIT :limit"""
_LLM = """
SELECT COUNT(*) AS calls, COALESCE(SUM(json_extract(properties, '$.success') = 0), 0) AS errors,
       COALESCE(SUM(json_extract(properties, '$.inputTokens')), 0) AS totalInputTokens,
       COALESCE(SUM(json_extract(properties, '$.outputTokens')), 0) AS totalOutputTokens,
       COALESCE(SUM(json_extract(properties, '$.totalCost')), 0) AS totalCost
  FROM telemetry_events WHERE event = 'llm.generate' AND (:since IS NULL OR timestamp >= :since)"""
_DURATION = """
SELECT json_extract(properties, '$.durationMs') FROM telemetry_events
 WHERE event = 'llm.generate' AND (:since IS NULL OR timestamp >= :since)
 ORDER BY 1 LIMIT 1 OFFSET :place"""
_TOTAL = "SELECT COUNT(*) FROM telemetry_events WHERE :since IS NULL OR timestamp >= :since"
_ERRORS = """
SELECT json_extract(properties, '$.stage') AS stage, json_extract(properties, '$.code') AS code, COUNT(*) AS errors
  FROM telemetry_events WHERE event = 'pipeline.error' AND (:since IS NULL OR timestamp >= :since)
 GROUP BY stage, code ORDER BY stage, code"""
_RENAMED = {"session_key": "session_id AS session_key", "combined_label": "label AS combined_label"}
_PAIRS = f"""
SELECT {", ".join(_RENAMED.get(name, name) for name in PAIR)} FROM predictor_training_pairs
 WHERE (:agent IS NULL OR agent_id = :agent) AND (:since IS NULL OR created_at >= :since)
   AND (:until IS NULL OR created_at <= :until)
   AND (:after = '' OR (created_at, id) > (SELECT created_at, id FROM predictor_training_pairs WHERE id = :after))
 ORDER BY created_at, id LIMIT :limit"""
_PURGE = """
DELETE FROM telemetry_events WHERE rowid IN (
    SELECT rowid FROM telemetry_events WHERE timestamp < ? ORDER BY timestamp LIMIT ?)"""
_STANDS = """
SELECT (SELECT COUNT(*) FROM memories WHERE is_deleted = 0) AS memories,
       (SELECT COUNT(*) FROM connectors WHERE status <> 'error') AS connectors"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Which rows are asked for; both ends are inside."""

    event: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int = 100


def newest(tx: ReadTx, span: Span) -> list[dict[str, object]]:
    """Return events, newest first."""
    rows = tx.all(_NEWEST, _bounds(span) | {"limit": span.limit})
    return [_event(row) for row in rows]


def events_page(tx: ReadTx, span: Span, *, after: str, limit: int) -> list[dict[str, object]]:
    """Return the events behind an id, oldest first."""
    rows = tx.all(_PAGE, _bounds(span) | {"after": after, "limit": limit})
    return [_event(row) for row in rows]


def pairs_page(
    tx: ReadTx, span: Span, *, after: str, limit: int, agent_id: str | None
) -> list[dict[str, object]]:
    """Return the training pairs behind an id, oldest first: ids and numbers, no text (PR-2)."""
    bounds = {"since": span.since, "until": span.until, "agent": agent_id}
    return [dict(row) for row in tx.all(_PAIRS, bounds | {"after": after, "limit": limit})]


def stats(tx: ReadTx, *, since: str | None) -> dict[str, object]:
    """Return sums over every event since an instant."""
    llm = tx.one(_LLM, {"since": since})
    assert llm is not None
    stages: dict[str, int] = {}
    codes: dict[str, int] = {}
    for row in tx.all(_ERRORS, {"since": since}):
        stages[row["stage"]] = stages.get(row["stage"], 0) + row["errors"]
        codes[row["code"]] = codes.get(row["code"], 0) + row["errors"]
    ranks = {f"p{p}": _duration(tx, since, llm["calls"], p / 100) for p in (50, 95)}
    return {
        "totalEvents": tx.value(_TOTAL, {"since": since}),
        "llm": dict(llm) | ranks,
        "pipelineErrors": sum(codes.values()),
        "pipelineErrorsByStage": stages,
        "pipelineErrorsByCode": codes,
    }


def stands(tx: ReadTx) -> tuple[int, int]:
    """Return how many memories there are, and how many connectors work."""
    row = tx.one(_STANDS)
    assert row is not None
    return row["memories"], row["connectors"]


def purge(tx: WriteTx, before: str, limit: int) -> int:
    """Delete events that are older than an instant and return how many."""
    return tx.run(_PURGE, (before, limit))


def _duration(tx: ReadTx, since: str | None, calls: int, share: float) -> float:
    place = math.floor(calls * share)
    return tx.value(_DURATION, {"since": since, "place": place}) or 0


def _bounds(span: Span) -> dict[str, str | None]:
    return {"event": span.event, "since": span.since, "until": span.until}


def _event(row: Row) -> dict[str, object]:
    return {
        "id": row["id"],
        "event": row["event"],
        "timestamp": row["timestamp"],
        "properties": _properties(row["properties"]),
    }


def _properties(stored: str) -> dict[str, object]:
    """Return the properties; none where an older file holds what is no JSON."""
    try:
        found = json.loads(stored)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
