"""Telemetry events and labels of memories, read page by page: each page follows the last row of the one before."""

from dataclasses import dataclass
from typing import Any

from signet.db import ReadTx, WriteTx
from signet.domain.activity import sql
from signet.wire.telemetry import TelemetryEvent, TelemetryStats

#: Rows that are read and sent at a time.
PAGE_ROWS = 1_000
#: The columns of an exported label, and the days in which a memory loses half of its weight there.
PAIR, HALF_LIFE_DAYS = sql.PAIR, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Which rows are asked for; both ends are inside."""

    event: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int = 100


def newest(tx: ReadTx, span: Span) -> list[TelemetryEvent]:
    """Return events, newest first."""
    return tx.records(TelemetryEvent, sql.NEWEST_EVENTS, _bounds(span) | {"limit": span.limit})


def page(tx: ReadTx, span: Span, *, after: str, limit: int) -> list[TelemetryEvent]:
    """Return the events that follow an id, oldest first."""
    asked = _bounds(span) | {"after": after, "limit": limit}
    return tx.records(TelemetryEvent, sql.EVENTS_PAGE, asked)


def training_page(
    tx: ReadTx, span: Span, *, after: str, limit: int, agent_id: str | None, hidden: str
) -> list[dict[str, object]]:
    """Return the labels that follow an id, oldest first: ids and numbers, no text (PR-2)."""
    bounds = {"since": span.since, "until": span.until, "agent": agent_id, "hidden": hidden}
    rows = tx.tuples(sql.TRAINING_PAIRS, bounds | {"after": after, "limit": limit})
    return [_pair(dict(zip(PAIR, row, strict=True))) for row in rows]


def stats(tx: ReadTx, *, since: str | None) -> TelemetryStats:
    """Return sums over every event since an instant."""
    [llm] = tx.rows(sql.LlmTotals, sql.LLM_TOTALS, {"since": since})
    stages: dict[str, int] = {}
    codes: dict[str, int] = {}
    for row in tx.rows(sql.PipelineErrors, sql.PIPELINE_ERRORS, {"since": since}):
        stages[row.stage] = stages.get(row.stage, 0) + row.errors
        codes[row.code] = codes.get(row.code, 0) + row.errors
    return {
        "enabled": True,
        "totalEvents": tx.value(sql.EVENT_COUNT, {"since": since}),
        "llm": {
            "calls": llm.calls,
            "errors": llm.errors,
            "totalInputTokens": llm.input_tokens,
            "totalOutputTokens": llm.output_tokens,
            "totalCost": llm.cost,
            "p50": _duration(tx, since, llm.calls * 50 // 100),
            "p95": _duration(tx, since, llm.calls * 95 // 100),
        },
        "pipelineErrors": sum(codes.values()),
        "pipelineErrorsByStage": stages,
        "pipelineErrorsByCode": codes,
    }


def inventory(tx: ReadTx) -> tuple[int, int]:
    """Return how many memories there are, and how many connectors work, for a heartbeat."""
    [(memories, connectors)] = tx.tuples(sql.INVENTORY)
    return memories, connectors


def purge(tx: WriteTx, before: str, limit: int) -> int:
    """Delete events that are older than an instant, at most `limit`, and return how many."""
    return tx.run(sql.PURGE_EVENTS, (before, limit))


def _pair(row: dict[str, Any]) -> dict[str, object]:
    days = row["recency_days"]
    return row | {"decay_factor": None if days is None else 0.5 ** (days / HALF_LIFE_DAYS)}


def _duration(tx: ReadTx, since: str | None, place: int) -> float:
    return tx.value(sql.LLM_DURATION, {"since": since, "place": place}) or 0


def _bounds(span: Span) -> dict[str, str | int | None]:
    return {"event": span.event, "since": span.since, "until": span.until}
