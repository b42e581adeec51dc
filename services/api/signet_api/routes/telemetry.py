"""Local events about processing, without texts, questions or paths; they never leave this machine."""

import asyncio
import csv
import io
import json
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Query
from starlette.responses import Response, StreamingResponse

from signet import __version__, clock
from signet.config.sections import EmbeddingProvider
from signet.db import Database, ReadTx, inspection
from signet.domain.activity import events
from signet.domain.activity.events import TimeSpan
from signet.domain.auth import caller
from signet.domain.backup import kept
from signet.domain.diagnostics.counts import HealthReport
from signet.domain.transcripts import readings
from signet.errors import Invalid, NotFound
from signet.observe import logfile, logread, metrics
from signet.observe.logfile import LogPlace
from signet.observe.logread import RANK, LogFilter
from signet.observe.metrics import Sample
from signet.queue import pauses, stats
from signet.queue.kinds import QUEUES, breaker_of
from signet.wire import logs as wire_logs
from signet.wire import status as wire_status
from signet.wire import telemetry as wire
from signet.wire.requests.model import ClampedInt, Text
from signet_api import processes
from signet_api.deps import Shared, Since, State, Until
from signet_api.serving import serves
from signet_api.stream import FILES_SECONDS, EventStream, LogTail, message

Row = Mapping[str, object]


@serves(wire.TELEMETRY_EVENTS)
async def get_events(
    state: Shared,
    since: Since,
    until: Until,
    event: Text = None,
    limit: Annotated[int, ClampedInt(1, 10_000)] = 100,
) -> wire.TelemetryPage:
    """Return events, newest first; they never leave the machine."""
    span = TimeSpan(event=event, since=since, until=until, limit=limit)
    if not _is_enabled(state):
        return {"events": [], "enabled": False}
    await state.flusher.aflush()
    return {"events": await state.db.aread(events.newest_events, span), "enabled": True}


@serves(wire.TELEMETRY_STATS)
async def get_stats(state: Shared, since: Since) -> wire.TelemetryStats:
    """Return totals since an instant: language model calls, and errors by stage and code."""
    if not _is_enabled(state):
        return {"enabled": False}
    await state.flusher.aflush()
    return await state.db.aread(events.stats, since=since)


@serves(wire.EXPORT_TELEMETRY)
async def get_export(
    state: Shared,
    since: Since,
    until: Until,
    event: Text = None,
    limit: Annotated[int, ClampedInt(1, 100_000)] = 10_000,
) -> Response:
    """Return events as lines of JSON, oldest first."""
    span = TimeSpan(event=event, since=since, until=until, limit=limit)
    if not _is_enabled(state):
        raise NotFound("telemetry not enabled", "telemetry_not_enabled")
    await state.flusher.aflush()
    return StreamingResponse(_pages(state.db, events.page, span, _lines), media_type=wire.NDJSON)


@serves(wire.EXPORT_TRAINING)
async def get_training_export(
    state: Shared,
    since: Since,
    until: Until,
    form: Annotated[Text, Query(alias="format")] = None,
    agent_id: Text = None,
    limit: Annotated[int, ClampedInt(1, 10_000)] = 1_000,
) -> Response:
    """Return the labels of memories as lines of JSON or CSV, oldest first; IDs and numbers only."""
    if form not in (None, "ndjson", "csv"):
        raise Invalid("format must be ndjson or csv")
    span = TimeSpan(since=since, until=until, limit=limit)
    page = partial(events.training_page, agent_id=agent_id, hidden=caller.current().hidden)
    if form != "csv":
        return StreamingResponse(_pages(state.db, page, span, _lines), media_type=wire.NDJSON)
    pages = _pages(
        state.db, page, span, _table, head=_table([dict.fromkeys(events.PAIR)], head=True)
    )
    return StreamingResponse(pages, media_type="text/csv; charset=utf-8")


def _is_enabled(state: State) -> bool:
    return state.settings.pipeline.telemetry_enabled


async def _pages(
    db: Database,
    page: Callable[..., Sequence[Row]],
    span: TimeSpan,
    written: Callable[[Iterable[Row]], str],
    head: str = "",
) -> AsyncIterator[str]:
    """Read and send page by page, so that slow clients do not hold a snapshot."""
    if head:
        yield head
    left, after = span.limit, ""
    while left > 0:
        rows = await db.aread(page, span, after=after, limit=min(left, events.PAGE_ROWS))
        if not rows:
            return
        left, after = left - len(rows), str(rows[-1]["id"])
        yield written(rows)


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _table(rows: Iterable[Row], *, head: bool = False) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, events.PAIR)
    if head:
        writer.writeheader()
    else:
        writer.writerows(rows)
    return out.getvalue()


MAX_LINES = 1_000


@serves(wire_logs.LOGS)
@serves(wire_logs.ANALYTICS_LOGS)
async def get_logs(
    state: Shared,
    since: Since,
    level: Text = None,
    category: Text = None,
    limit: Annotated[int, ClampedInt(1, MAX_LINES)] = 100,
) -> wire_logs.LogLines:
    """Return the newest lines in time order; `level` (minimum), `category` and `since` filter them."""
    wanted = _filter(level, category, since)
    lines = await asyncio.to_thread(logread.newest, _place(state), limit, wanted)
    return {"logs": lines, "count": len(lines)}


@serves(wire_logs.LOG_STREAM)
async def get_log_stream(
    state: Shared, since: Since, level: Text = None, category: Text = None
) -> Response:
    """Stream each new line of any process; `level` and `category` filter them."""
    wanted = _filter(level, category, since)
    with state.log_listeners.joining():
        tail = await asyncio.to_thread(LogTail, _place(state))

    def take() -> bytes:
        """Return new lines as events; at most the newest MAX_LINES."""
        lines = [entry for entry in tail.take() if wanted.matches(entry)][-MAX_LINES:]
        return b"".join(map(message, lines))

    def left() -> None:
        state.log_listeners.leave()
        tail.close()

    first, look = message({"type": "connected"}), partial(asyncio.to_thread, take)
    return EventStream(state, first, look, left, every_seconds=FILES_SECONDS)


def _filter(level: str | None, category: str | None, since: str | None) -> LogFilter:
    level = level or "debug"
    if level not in RANK:
        raise Invalid(f"level must be one of {', '.join(RANK)}")
    return LogFilter(level=level, category=category, since=since)


def _place(state: State) -> LogPlace:
    return logfile.place(state.workspace.log_dir, os.environ)


#: Maximum age of diagnostics scores in a scrape, because computing them is expensive.
SCORES_KEPT_MS = 60_000


@serves(wire_status.METRICS)
async def get_metrics(state: Shared) -> str:
    """Return counters of API, worker and scheduler, and the current queue."""
    rows = await state.db.aread(_of_rows, state, clock.now())
    report = await state.reports.get(state.settings, kept_ms=SCORES_KEPT_MS)
    embeds = state.settings.embedding.provider is not EmbeddingProvider.NONE
    return await asyncio.to_thread(_text, state, [*rows, *_of_health(report, embeds=embeds)])


def _text(state: State, samples: list[Sample]) -> str:
    text = metrics.exposition() + metrics.gauges([*samples, *_of_files(state), *_of_build(state)])
    return text.decode()


def _of_rows(tx: ReadTx, state: State, now: datetime) -> list[Sample]:
    captured = readings.capture(tx, now=now)
    broken = {breaker.name for breaker in stats.breakers(tx)}
    waits = {queue: breaker_of(queue) in broken for queue in QUEUES}
    paused = pauses.paused_queues(tx)
    runs = {
        str(one["name"]): one["state"] == "running" for one in processes.states(tx, state.workspace)
    }
    said = {one["harness"]: clock.parsed(one["lastMessageAt"]) for one in captured["harnesses"]}
    times = {harness: at.timestamp() for harness, at in said.items() if at is not None}
    oldest = stats.oldest_due_seconds(tx, now=now)
    return [
        *(
            Sample("signet_jobs", (one.queue, one.kind, one.status), one.jobs)
            for one in stats.depths(tx)
        ),
        Sample("signet_oldest_due_seconds", (), oldest),
        *_by("signet_queue_waits_for_provider", waits),
        *(
            Sample(
                "signet_unknown_records",
                (one["harness"], one["version"] or "", one["type"]),
                one["records"],
            )
            for one in captured["unknownRecords"]
        ),
        *_by("signet_captured_timestamp_seconds", times),
        *_by("signet_jobs_dead", stats.error_codes(tx)),
        *_by("signet_jobs_delayed", stats.delayed(tx, now=now)),
        *_by("signet_queue_paused", {one: one in paused for one in QUEUES}),
        *_by("signet_process_up", runs),
        *(
            []
            if state.db.url is None
            else _by("signet_database_bytes", {"main": inspection.server(tx).size})
        ),
    ]


def _by(name: str, values: Mapping[str, float]) -> Iterator[Sample]:
    return (Sample(name, (key,), float(value)) for key, value in values.items())


def _of_health(report: HealthReport, *, embeds: bool) -> Iterator[Sample]:
    scores = {name: domain.score for name, domain in report.domains.items()}
    scores = {"composite": report.score, **scores}
    yield from _by("signet_health_score", scores)
    index = report.domains["index"].fields
    missing = float(str(index["memoriesRowCount"])) * (1 - float(str(index["embeddingCoverage"])))
    yield Sample("signet_memories_without_vector", (), round(missing) if embeds else 0)


def _of_files(state: State) -> Iterator[Sample]:
    if state.db.url is None:
        main = state.db.path
        files = {"main": main, "wal": main.with_name(f"{main.name}-wal")}
        sizes = {name: path.stat().st_size for name, path in files.items() if path.exists()}
        yield from _by("signet_database_bytes", sizes)
    newest = next((one.made_at.timestamp() for one in kept.backups(state.workspace)), 0.0)
    yield Sample("signet_backup_timestamp_seconds", (), newest)
    disk = os.statvfs(state.workspace.root)
    for name, blocks in (("free", disk.f_bavail), ("size", disk.f_blocks)):
        size = blocks * disk.f_frsize
        yield Sample(f"signet_disk_{name}_bytes", (), size)


def _of_build(state: State) -> Iterator[Sample]:
    engine = "sqlite" if state.db.url is None else "postgresql"
    yield Sample("signet_build_info", (__version__, engine), 1)
