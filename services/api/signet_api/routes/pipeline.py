"""Watch, pause and resume the work in the background."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

from signet import clock
from signet.config import Settings
from signet.config.extraction import TextProvider
from signet.db import ReadTx, Row
from signet.domain.agents import registry as agents
from signet.domain.extraction.apply import Mode
from signet.domain.extraction.pipeline import mode_of
from signet.domain.graph import latest_traversal
from signet.observe import latency
from signet.providers import ration
from signet.queue import Status, admin, stats
from signet.queue.stats import Breaker, Progress
from signet.wire import pipeline as wire
from signet.wire.pipeline import Paused, PipelineStatus, StoredStatus
from signet_api import processes
from signet_api.deps import Db, Shared, State, Who
from signet_api.params import Agent
from signet_api.serving import serves

#: The kinds of jobs behind the names under which clients know the workers. All of them run in the worker process.
WORKERS: Mapping[str, tuple[str, ...]] = {
    "extraction": ("extract",),
    "summary": ("summarize", "condense"),
    "document": ("document_ingest",),
    "connector": ("connector_sync",),
    "embedding": ("embed",),
    "hints": ("prospective_index",),
    "structuralClassify": ("structural_classify",),
    "structuralDependency": ("structural_dependency",),
    "synthesis": ("synthesize",),
    "retention": ("retention_sweep",),
    "maintenance": ("maintenance", "repair", "graph_upkeep", "cluster_entities"),
}
WORKER = "worker"


@serves(wire.PIPELINE_STATUS)
async def get_pipeline_status(agent_id: Agent, state: Shared) -> PipelineStatus:
    """Return what runs, what waits and what died; answers while worker and scheduler are down too (PS-1)."""
    found = await state.db.aread(_status, state, agent_id, clock.now())
    return {
        **found,
        "latency": await asyncio.to_thread(latency.summaries),
        "diagnostics": (await state.reports.get(state.settings)).as_dict(),
    }


@serves(wire.PAUSE)
async def post_pause(db: Db, actor: Who) -> Paused:
    """Let workers finish what they run and take nothing new; survives restarts."""
    await db.awrite(admin.pause, True, now=clock.now(), actor=actor.name)
    return {"success": True, "paused": True}


@serves(wire.RESUME)
async def post_resume(db: Db, actor: Who) -> Paused:
    """Let workers take jobs again."""
    await db.awrite(admin.pause, False, now=clock.now(), actor=actor.name)
    return {"success": True, "paused": False}


def _status(tx: ReadTx, state: State, agent_id: str, now: datetime) -> StoredStatus:
    settings = state.settings
    totals = stats.totals(tx)
    kinds = stats.progress(tx, now=now)
    living = processes.states(tx, state.workspace.runtime_dir, now=now)
    paused = admin.is_paused(tx)
    mode = mode_of(settings)
    memory = {
        "byType": {one.kind: _kind(one, paused) for one in kinds},
        "oldestAgeSec": max((one.oldest_seconds for one in kinds), default=0.0),
        "lastError": stats.last_error(tx),
    }
    return {
        "mode": "paused" if paused and mode is not Mode.DISABLED else mode,
        "paused": paused,
        "workers": _workers(living, stats.leased(tx), now),
        "queues": {"memory": totals | memory, "summary": stats.summary_by_status(tx)},
        "queue": totals[Status.PENDING],
        "processing": totals[Status.LEASED],
        "deadLetter": totals[Status.DEAD],
        "providers": {
            "breakers": [_breaker(one) for one in stats.breakers(tx)],
            "budgets": _budgets(tx, settings, now),
        },
        "errorSummary": stats.error_codes(tx),
        "traversal": {
            "enabled": settings.pipeline.traversal.enabled,
            "lastRun": latest_traversal.last(tx, reader=agents.reader(tx, agent_id)),
        },
        # Parts that this version does not have.
        "feedback": {
            "lastRunAt": None,
            "feedbackAspectsUpdated": 0,
            "feedbackFtsConfirmations": 0,
            "feedbackDecayedAspects": 0,
            "feedbackPropagatedAttributes": 0,
        },
        "predictor": {
            "running": False,
            "modelReady": False,
            "coldStartExited": False,
            "successRate": None,
            "alpha": None,
        },
    }


def _workers(
    living: Sequence[Mapping[str, object]], leased: Sequence[Row], now: datetime
) -> dict[str, dict[str, object]]:
    process = next(one for one in living if one["name"] == WORKER)
    is_there = process["state"] == "running"
    return {
        name: {
            "running": is_there and bool(kinds),
            "process": process["name"],
            "pid": process["pid"],
            # The kernel's word: the process held its lock when this was asked.
            "lastHeartbeatAt": clock.to_text(now) if is_there else None,
            "currentJob": _current([row for row in leased if row["job_type"] in kinds]),
        }
        for name, kinds in WORKERS.items()
    }


def _current(leased: Sequence[Row]) -> dict[str, object] | None:
    """Return the job that has been running longest."""
    if not leased:
        return None
    row = leased[0]
    return {"id": row["id"], "kind": row["job_type"], "startedAt": row["leased_at"]}


def _kind(one: Progress, paused: bool) -> dict[str, object]:
    eta = None if paused else one.eta_seconds
    return {
        Status.PENDING: one.waiting + one.delayed,
        Status.LEASED: one.running,
        Status.DEAD: one.dead,
        "queue": one.queue,
        "waiting": one.waiting,
        "delayed": one.delayed,
        "running": one.running,
        "oldestAgeSec": one.oldest_seconds,
        "perSecond": round(one.per_second, 3),
        "etaSec": None if eta is None else round(eta, 1),
    }


def _breaker(one: Breaker) -> dict[str, object]:
    return {
        "name": one.name,
        "queues": one.queues,
        "state": one.state,
        "failures": one.failures,
        "retryAt": None if one.retry_at_ms is None else clock.ms_to_text(one.retry_at_ms),
        "error": one.error,
        "since": one.since,
        "waiting": one.waiting,
    }


def _budgets(tx: ReadTx, settings: Settings, now: datetime) -> list[dict[str, object]]:
    """Return what each provider that was asked in this hour has used of its hour."""
    extraction = settings.pipeline.extraction
    most_calls, most_tokens = extraction.max_calls_per_hour, extraction.max_tokens_per_hour
    used = [(name, ration.used(tx, name, now=now)) for name in TextProvider]
    return [
        {
            "provider": name,
            "calls": usage.calls,
            "tokens": usage.tokens,
            "maxCallsPerHour": most_calls,
            "maxTokensPerHour": most_tokens,
            "usedUp": 0 < most_calls <= usage.calls or 0 < most_tokens <= usage.tokens,
        }
        for name, usage in used
        if usage.calls
    ]
