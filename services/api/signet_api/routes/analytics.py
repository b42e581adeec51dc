"""What was used, how fast it was, what went wrong, how well sessions were served: since the daemon started."""

import asyncio

from fastapi import APIRouter, Request

from signet.db import ReadTx
from signet.domain.activity import continuity, counters, errors, usage
from signet.domain.activity.errors import ErrorFilter
from signet.domain.diagnostics import report
from signet.errors import Invalid
from signet.observe import latency, metrics
from signet.observe.taxonomy import Stage
from signet_api.deps import Shared
from signet_api.params import instant, whole
from signet_api.routes import logs

router = APIRouter(prefix="/api/analytics", tags=["analytics"])

MAX_ERRORS = 500
#: Errors in the answer about the safety of memories.
SAFETY_ERRORS = 50


@router.get("/usage")
async def get_usage(state: Shared) -> dict[str, object]:
    """Return counts by route, caller, provider and connector."""
    await state.flusher.aflush()
    by_name = await state.db.aread(_by_name)
    return await asyncio.to_thread(_by_metric) | by_name


@router.get("/latency")
async def get_latency() -> dict[str, object]:
    """Return percentiles of the times of each operation since the daemon started, in milliseconds."""
    return {**await asyncio.to_thread(latency.summaries)}


@router.get("/errors")
async def get_errors(request: Request, state: Shared) -> dict[str, object]:
    """Return the newest errors, oldest first, and how many there are of each code; `stage` and `since` narrow."""
    params = request.query_params
    stage = params.get("stage") or None
    if stage is not None and stage not in list(Stage):
        raise Invalid(f"stage must be one of {', '.join(Stage)}")
    wanted = ErrorFilter(
        stage=Stage(stage) if stage else None,
        since=instant(params, "since"),
        limit=whole(params.get("limit"), 50, low=1, high=MAX_ERRORS),
    )
    await state.flusher.aflush()
    return await state.db.aread(_errors, wanted)


@router.get("/logs")
async def get_logs(request: Request, state: Shared) -> dict[str, object]:
    """Return what `/api/logs` returns."""
    return await logs.newest(request, state)


@router.get("/memory-safety")
async def get_memory_safety(state: Shared) -> dict[str, object]:
    """Return how changes of memories go: their part of the diagnostics, and the errors among them."""
    await state.flusher.aflush()
    mutation = report.part(await state.reports.get(state.settings), "mutation")
    return {"mutation": mutation} | await state.db.aread(_safety)


@router.get("/continuity")
async def get_continuity(request: Request, state: Shared) -> dict[str, object]:
    """Return how well recall served past sessions, newest first, and their average and trend."""
    project = request.query_params.get("project") or None
    limit = whole(request.query_params.get("limit"), 50, low=1, high=MAX_ERRORS)
    return await state.db.aread(continuity.report, project=project, limit=limit)


@router.get("/continuity/latest")
async def get_continuity_latest(state: Shared) -> dict[str, object]:
    """Return the newest score of each project."""
    return {"scores": await state.db.aread(continuity.latest)}


def _by_metric() -> dict[str, object]:
    return {
        "endpoints": usage.endpoints(
            metrics.values("signet_http_requests_total"),
            metrics.values("signet_http_request_seconds_sum"),
        ),
        "providers": usage.providers(
            metrics.values("signet_provider_calls_total"),
            metrics.values("signet_provider_call_seconds_sum"),
        ),
    }


def _by_name(tx: ReadTx) -> dict[str, object]:
    return {
        "actors": counters.of_actors(tx),
        "connectors": counters.of_connectors(tx),
    }


def _errors(tx: ReadTx, wanted: ErrorFilter) -> dict[str, object]:
    return {"errors": errors.newest(tx, wanted), "summary": errors.by_code(tx)}


def _safety(tx: ReadTx) -> dict[str, object]:
    wanted = ErrorFilter(stage=Stage.MUTATION, limit=SAFETY_ERRORS)
    return {
        "recentErrors": errors.newest(tx, wanted),
        "errorSummary": errors.by_code(tx, Stage.MUTATION),
    }
