"""What was used, how fast it was, what went wrong, how well sessions were served: since the daemon started."""

import asyncio

from fastapi import APIRouter, Request

from signet.db import ReadTx
from signet.domain.analytics import rules, store
from signet.domain.analytics.store import Wanted
from signet.domain.diagnostics import report
from signet.errors import Invalid
from signet.observe import metrics, rings
from signet.observe.taxonomy import Stage
from signet_api.deps import Shared
from signet_api.params import instant, whole
from signet_api.routes import logs

router = APIRouter(prefix="/api/analytics", tags=["analytics"])

MAX_ERRORS = 500
ACTORS = ("requests", "remembers", "recalls", "mutations")
CONNECTORS = ("syncs", "errors", "documentsProcessed")


@router.get("/usage")
async def get_usage(state: Shared) -> dict[str, object]:
    """Return counts by route, caller, provider and connector."""
    await state.recording.aflush()
    by_name = await state.db.aread(_by_name)
    return await asyncio.to_thread(_by_metric) | by_name


@router.get("/latency")
async def get_latency() -> dict[str, object]:
    """Return percentiles of the last thousand times of each operation, in milliseconds."""
    return {**await asyncio.to_thread(rings.summaries)}


@router.get("/errors")
async def get_errors(request: Request, state: Shared) -> dict[str, object]:
    """Return the newest errors, oldest first, and how many there are of each code; `stage` and `since` narrow."""
    params = request.query_params
    stage = params.get("stage") or None
    if stage is not None and stage not in list(Stage):
        raise Invalid(f"stage must be one of {', '.join(Stage)}")
    wanted = Wanted(
        stage=Stage(stage) if stage else None,
        since=instant(params, "since"),
        limit=whole(params.get("limit"), 50, low=1, high=MAX_ERRORS),
    )
    await state.recording.aflush()
    return await state.db.aread(_errors, wanted)


@router.get("/logs")
async def get_logs(request: Request, state: Shared) -> dict[str, object]:
    """Return what `/api/logs` returns."""
    return await logs.newest(request, state)


@router.get("/memory-safety")
async def get_memory_safety(state: Shared) -> dict[str, object]:
    """Return how changes of memories go: their part of the diagnostics, and the errors among them."""
    await state.recording.aflush()
    mutation = report.part(await state.reports.get(state.settings), "mutation")
    return {"mutation": mutation} | await state.db.aread(_safety)


@router.get("/continuity")
async def get_continuity(request: Request, state: Shared) -> dict[str, object]:
    """Return how well recall served past sessions, newest first, and their average and trend."""
    project = request.query_params.get("project") or None
    limit = whole(request.query_params.get("limit"), 50, low=1, high=MAX_ERRORS)
    found = await state.db.aread(store.scores, project=project, limit=limit)
    return {
        "scores": found,
        "summary": rules.continuity([float(str(one["score"])) for one in found]),
    }


@router.get("/continuity/latest")
async def get_continuity_latest(state: Shared) -> dict[str, object]:
    """Return the newest score of each project."""
    return {"scores": await state.db.aread(store.latest)}


def _by_metric() -> dict[str, object]:
    return {
        "endpoints": rules.endpoints(
            metrics.values("signet_http_requests_total"),
            metrics.values("signet_http_request_seconds_sum"),
        ),
        "providers": rules.providers(
            metrics.values("signet_provider_calls_total"),
            metrics.values("signet_provider_call_seconds_sum"),
        ),
    }


def _by_name(tx: ReadTx) -> dict[str, object]:
    return {
        "actors": store.counted(tx, "actor", ACTORS),
        "connectors": store.counted(tx, "connector", CONNECTORS),
    }


def _errors(tx: ReadTx, wanted: Wanted) -> dict[str, object]:
    return {"errors": store.errors(tx, wanted), "summary": store.summary(tx)}


def _safety(tx: ReadTx) -> dict[str, object]:
    wanted = Wanted(stage=Stage.MUTATION, limit=store.SAFETY_ERRORS)
    return {
        "recentErrors": store.errors(tx, wanted),
        "errorSummary": store.summary(tx, Stage.MUTATION),
    }
