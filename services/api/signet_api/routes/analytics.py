"""Usage, latency, errors and session scores; timelines of single IDs."""

import asyncio
import os
from typing import Annotated

from fastapi import Query

from signet import __version__, clock
from signet.db import ReadTx
from signet.domain.activity import events, usage
from signet.domain.activity.events import ErrorFilter
from signet.domain.auth import caller
from signet.domain.diagnostics import report
from signet.errors import Invalid
from signet.observe import latency, logfile, logread, metrics
from signet.observe.taxonomy import ErrorStage
from signet.wire import analytics as wire
from signet.wire.requests.browse import SeriesParams
from signet.wire.requests.model import ClampedInt, Text
from signet_api.deps import Project, Shared, Since, State
from signet_api.serving import serves

MAX_ERRORS = 500
#: Errors in the answer about the safety of memories.
SAFETY_ERRORS = 50


@serves(wire.USAGE)
async def get_usage(state: Shared) -> wire.Usage:
    """Return counts by route, caller, provider and connector."""
    await state.flusher.aflush()
    actors, connectors = await state.db.aread(_by_name)
    endpoints, providers = await asyncio.to_thread(_by_metric)
    return {
        "endpoints": endpoints,
        "providers": providers,
        "actors": actors,
        "connectors": connectors,
    }


@serves(wire.LATENCY)
async def get_latency() -> dict[str, dict[str, float]]:
    """Return latency percentiles of each operation since the daemon started, in milliseconds."""
    return await asyncio.to_thread(latency.summaries)


@serves(wire.SERIES)
async def get_series(query: Annotated[SeriesParams, Query()], state: Shared) -> wire.Series:
    """Return counts for each of the last ten minutes, hours or days of a time zone."""
    count = min(query.count or usage.USUAL[query.step], usage.MOST[query.step])
    tz = usage.zone(query.tz)
    metrics = query.metrics or usage.METRICS
    await state.flusher.aflush()
    return await state.db.aread(
        usage.series_of, metrics, step=query.step, count=count, tz=tz, now=clock.now()
    )


@serves(wire.ERRORS)
async def get_errors(
    state: Shared,
    since: Since,
    stage: Text = None,
    limit: Annotated[int, ClampedInt(1, MAX_ERRORS)] = 50,
) -> wire.Errors:
    """Return the newest errors, oldest first, and counts by code; `stage` and `since` filter."""
    if stage is not None and stage not in list(ErrorStage):
        raise Invalid(f"stage must be one of {', '.join(ErrorStage)}")
    wanted = ErrorFilter(stage=ErrorStage(stage) if stage else None, since=since, limit=limit)
    await state.flusher.aflush()
    return await state.db.aread(_errors, wanted)


@serves(wire.MEMORY_SAFETY)
async def get_memory_safety(state: Shared) -> wire.MemorySafety:
    """Return the diagnostics of memory changes, and their errors."""
    await state.flusher.aflush()
    mutation = report.part(await state.reports.get(state.settings), "mutation")
    recent, by_code = await state.db.aread(_safety)
    return {"mutation": mutation, "recentErrors": recent, "errorSummary": by_code}


@serves(wire.CONTINUITY)
async def get_continuity(
    state: Shared, project: Project, limit: Annotated[int, ClampedInt(1, MAX_ERRORS)] = 50
) -> wire.SessionScores:
    """Return how well recall served past sessions, newest first, with average and trend."""
    hidden = caller.current().hidden
    return await state.db.aread(usage.report, project=project, hidden=hidden, limit=limit)


@serves(wire.LATEST_CONTINUITY)
async def get_continuity_latest(state: Shared) -> wire.ProjectScores:
    """Return the newest score of each project."""
    return {"scores": await state.db.aread(usage.latest, hidden=caller.current().hidden)}


Counts = dict[str, dict[str, float]]


def _by_metric() -> tuple[Counts, Counts]:
    asked, took = "signet_http_requests_total", "signet_http_request_seconds_sum"
    called, waited = "signet_provider_calls_total", "signet_provider_call_seconds_sum"
    known = metrics.values(asked, took, called, waited)
    return (
        usage.endpoints(known[asked], known[took]),
        usage.providers(known[called], known[waited]),
    )


def _by_name(tx: ReadTx) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    return usage.of_actors(tx), usage.of_connectors(tx)


def _errors(tx: ReadTx, wanted: ErrorFilter) -> wire.Errors:
    return {"errors": events.newest_errors(tx, wanted), "summary": events.errors_by_code(tx)}


def _safety(tx: ReadTx) -> tuple[list[wire.NotedError], dict[str, int]]:
    wanted = ErrorFilter(stage=ErrorStage.MUTATION, limit=SAFETY_ERRORS)
    return events.newest_errors(tx, wanted), events.errors_by_code(tx, ErrorStage.MUTATION)


@serves(wire.TIMELINE)
async def get_timeline(
    entity_id: str,
    state: Shared,
    limit: Annotated[int, ClampedInt(1, usage.MAX_LIMIT)] = usage.DEFAULT_LIMIT,
) -> wire.Timeline:
    """Return history, jobs, log lines and errors of a memory, session or request, oldest first; empty for an unknown
    ID.
    """
    return await _timeline(entity_id, limit, state)


@serves(wire.EXPORT_TIMELINE)
async def export_timeline(
    entity_id: str,
    state: Shared,
    limit: Annotated[int, ClampedInt(1, usage.MAX_LIMIT)] = usage.DEFAULT_LIMIT,
) -> wire.ExportedTimeline:
    """Return the timeline in an envelope that names its origin."""
    found = await _timeline(entity_id, limit, state)
    meta: wire.TimelineMeta = {
        "version": __version__,
        "exportedAt": clock.to_text(clock.now()),
        "entityId": found["entityId"],
    }
    return {"meta": meta, "timeline": found}


async def _timeline(entity_id: str, limit: int, state: State) -> wire.Timeline:
    place = logfile.place(state.workspace.log_dir, os.environ)
    await state.flusher.aflush()
    lines = await asyncio.to_thread(
        logread.newest, place, usage.LOG_LINES, logread.LogFilter(level="debug")
    )
    return await state.db.aread(
        usage.timeline_of,
        entity_id,
        lines,
        hidden=caller.current().hidden,
        limit=limit,
        now=clock.now(),
    )
