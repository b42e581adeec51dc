"""Errors and events of the daemon: buffer, write, list and purge."""

import json
import threading
from dataclasses import dataclass
from typing import Any, cast

from signet import ids
from signet.db import Database, ReadTx, WriteTx
from signet.domain.activity import sql, usage
from signet.errors import SignetError
from signet.observe import logs
from signet.observe.record import BUFFER, MAX_ERRORS, MAX_OUTCOMES, Batch
from signet.observe.taxonomy import ErrorStage
from signet.process.settings_reload import LiveSettings
from signet.wire.analytics import NotedError
from signet.wire.telemetry import TelemetryEvent, TelemetryStats


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorFilter:
    stage: ErrorStage | None = None
    since: str | None = None
    limit: int = 50


def newest_errors(tx: ReadTx, wanted: ErrorFilter) -> list[NotedError]:
    """Return the newest matching errors, oldest first."""
    bounds = {"stage": wanted.stage, "since": wanted.since, "limit": wanted.limit}
    rows = tx.records(NotedError, sql.ERRORS, bounds)
    must = NotedError.__required_keys__
    known = [
        {name: value for name, value in row.items() if value or name in must}
        for row in reversed(rows)
    ]
    return cast("list[NotedError]", known)


def errors_by_code(tx: ReadTx, stage: ErrorStage | None = None) -> dict[str, int]:
    return dict(tx.tuples(sql.ERROR_COUNTS, {"stage": stage}))


#: Rows that are read and sent at a time.
PAGE_ROWS = 1_000
#: The columns of an exported label, and the days in which a memory loses half of its weight there.
PAIR, HALF_LIFE_DAYS = sql.PAIR, 30


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """A period with both ends included."""

    event: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int = 100


def newest_events(tx: ReadTx, span: TimeSpan) -> list[TelemetryEvent]:
    return tx.records(TelemetryEvent, sql.NEWEST_EVENTS, _bounds(span) | {"limit": span.limit})


def page(tx: ReadTx, span: TimeSpan, *, after: str, limit: int) -> list[TelemetryEvent]:
    """Return the events after an ID, oldest first."""
    asked = _bounds(span) | {"after": after, "limit": limit}
    return tx.records(TelemetryEvent, sql.EVENTS_PAGE, asked)


def training_page(
    tx: ReadTx, span: TimeSpan, *, after: str, limit: int, agent_id: str | None, hidden: str
) -> list[dict[str, object]]:
    """Return the labels after an ID, oldest first: IDs and numbers, no text (PR-2)."""
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
    """Return the numbers of memories and active connectors for a heartbeat."""
    [(memories, connectors)] = tx.tuples(sql.INVENTORY)
    return memories, connectors


def purge(tx: WriteTx, before: str, limit: int) -> int:
    return tx.run(sql.PURGE_EVENTS, (before, limit))


def _pair(row: dict[str, Any]) -> dict[str, object]:
    days = row["recency_days"]
    return row | {"decay_factor": None if days is None else 0.5 ** (days / HALF_LIFE_DAYS)}


def _duration(tx: ReadTx, since: str | None, place: int) -> float:
    return tx.value(sql.LLM_DURATION, {"since": since, "place": place}) or 0


def _bounds(span: TimeSpan) -> dict[str, str | int | None]:
    return {"event": span.event, "since": span.since, "until": span.until}


log = logs.get("system")


def write_batch(tx: WriteTx, recorded: Batch, *, keeps_events: bool) -> None:
    """Write a batch; telemetry events only with `keeps_events`."""
    if recorded.counts:
        usage.add(tx, recorded.counts)
    if recorded.errors:
        tx.many(sql.ADD_ERROR, recorded.errors)
        tx.run(sql.TRIM.format(table="error_events"), (MAX_ERRORS,))
    if recorded.outcomes:
        tx.many(sql.ADD_OUTCOME, recorded.outcomes)
        tx.run(sql.TRIM.format(table="provider_outcomes"), (MAX_OUTCOMES,))
    if keeps_events:
        if recorded.dropped:
            log.warning("telemetry.dropped", events=recorded.dropped)
        tx.many(
            sql.ADD_EVENT,
            [
                (ids.new_ordered_id(), event, at, json.dumps(dict(properties)), at)
                for event, at, properties in recorded.events
            ],
        )


def reset_counters(tx: WriteTx) -> None:
    """Delete errors, outcomes and counters of earlier daemon runs; telemetry events stay."""
    for statement in sql.RESET:
        tx.run(statement)


#: Counts, errors and outcomes are written this long after the first was recorded; so are events outside the API.
GATHER_SECONDS = 1.0


class Flusher:
    """Writes the events recorded in this process; `flush` may be called from any thread."""

    def __init__(self, db: Database, live: LiveSettings, *, gathers: bool = False) -> None:
        """With `gathers`, events wait until there are many or the first is old: the API records thousands.

        Earlier events are dropped, because they belong to no database.
        """
        self._db = db
        self._live = live
        self._gathers = gathers
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="flusher", daemon=True)
        BUFFER.take()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        BUFFER.has_items.set()
        self._thread.join()
        self.flush()

    def flush(self) -> None:
        """Write the buffered events; keep them if the database cannot store them now."""
        taken = BUFFER.take()
        if not taken:
            return
        try:
            self._db.write_quick(self._write, taken)
        except SignetError:
            BUFFER.put_back(taken)

    async def aflush(self) -> None:
        """Do the same as `flush` for asyncio callers."""
        taken = BUFFER.take()
        if not taken:
            return
        try:
            await self._db.awrite_quick(self._write, taken)
        except SignetError:
            BUFFER.put_back(taken)

    def _write(self, tx: WriteTx, taken: Batch) -> None:
        keeps_events = self._live.settings.pipeline.telemetry_enabled
        write_batch(tx, taken, keeps_events=keeps_events)

    def _run(self) -> None:
        while not self._stop.is_set():
            BUFFER.has_items.wait()
            if self._stop.wait(GATHER_SECONDS):
                return
            try:
                if self._is_due(*BUFFER.state()):
                    self.flush()
            except Exception:  # one that fails must not end the thread
                log.exception("recording.failed")

    def _is_due(self, is_urgent: bool, events: int, waited_seconds: float) -> bool:
        telemetry = self._live.settings.pipeline.telemetry
        return (
            is_urgent
            or not self._gathers
            or events >= telemetry.flush_batch_size
            or waited_seconds * 1000 >= telemetry.flush_interval_ms
        )
