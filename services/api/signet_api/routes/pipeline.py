"""Background work: status, pause, resume, nudge, and the models for extraction."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain

from fastapi import Response

from signet import clock
from signet.config import Settings
from signet.config.extraction import TextProvider
from signet.db import Database, ReadTx, Row, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.extraction.models import Mode, mode_of
from signet.domain.graph import feedback, traversal
from signet.domain.learning import report
from signet.domain.maintenance import cycle
from signet.observe import latency
from signet.providers import ration, registry
from signet.providers.registry import TextSettings
from signet.queue import JobStatus, admin, pauses, stats
from signet.queue.stats import Breaker, Progress
from signet.wire import pipeline as wire
from signet.wire.requests.jobs import QueueBody
from signet.wire.requests.model import Flag, Text
from signet_api import processes
from signet_api.deps import Agent, Db, Shared, State, Who
from signet_api.errors import answer
from signet_api.serving import serves

#: Job kinds by the worker names that clients know; all run in the worker process.
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


@serves(wire.PIPELINE_STATUS)
async def get_pipeline_status(agent_id: Agent, state: Shared) -> wire.PipelineStatus:
    """Return running, waiting and dead jobs; works while worker and scheduler are down."""
    return {
        **await stored(state, agent_id),
        "latency": await asyncio.to_thread(latency.summaries),
        "diagnostics": (await state.reports.get(state.settings)).as_dict(),
    }


async def stored(state: State, agent_id: str) -> wire.StoredStatus:
    return await state.db.aread(_status, state, agent_id, clock.now())


@serves(wire.PAUSE)
async def post_pause(db: Db, actor: Who, body: QueueBody | None = None) -> wire.Paused:
    """Start no jobs until resumed, in one queue or all; running ones finish, and the pause survives restarts."""
    await db.awrite(pauses.pause, _queue_of(body), now=clock.now(), actor=actor.name)
    return await _paused(db)


@serves(wire.RESUME)
async def post_resume(db: Db, body: QueueBody | None = None) -> wire.Paused:
    """Start jobs again, in all queues or one."""
    await db.awrite(pauses.resume, _queue_of(body))
    return await _paused(db)


def _queue_of(body: QueueBody | None) -> str:
    return (body and body.queue) or pauses.ALL


async def _paused(db: Database) -> wire.Paused:
    found = await db.aread(pauses.pauses)
    is_paused = any(one.queue == pauses.ALL for one in found)
    return {"success": True, "paused": is_paused, "pauses": [one._asdict() for one in found]}


def _status(tx: ReadTx, state: State, agent_id: str, now: datetime) -> wire.StoredStatus:
    settings = state.settings
    totals = stats.totals(tx)
    kinds = stats.progress(tx, now=now)
    living = processes.states(tx, state.workspace)
    paused = pauses.is_paused(tx)
    paused_queues = pauses.paused_queues(tx)
    mode = mode_of(settings)
    memory = {
        "byType": {
            one.kind: _kind(one, one.queue in paused_queues) for one in stats.by_kind(kinds)
        },
        "unserved": stats.unserved(kinds),
        "oldestAgeSec": max((one.oldest_seconds for one in kinds), default=0.0),
        "lastError": stats.last_error(tx),
    }
    return {
        "mode": "paused" if paused and mode is not Mode.DISABLED else mode,
        "paused": paused,
        "pauses": [one._asdict() for one in pauses.pauses(tx)],
        "workers": _workers(living, stats.leased(tx), now),
        "queues": {"memory": totals | memory, "summary": stats.summary_by_status(tx)},
        "queue": totals[JobStatus.PENDING],
        "processing": totals[JobStatus.LEASED],
        "deadLetter": totals[JobStatus.DEAD],
        "providers": {
            "breakers": [_breaker(one) for one in stats.breakers(tx)],
            "budgets": _budgets(tx, settings, now),
        },
        "errorSummary": stats.error_codes(tx),
        "traversal": {
            "enabled": settings.pipeline.traversal.enabled,
            "lastRun": traversal.last(tx, reader=agents.reader(tx, agent_id)),
        },
        "feedback": feedback.last(tx, agent_id=agent_id),
        "predictor": _predictor(tx, settings, agent_id),
    }


def _predictor(tx: ReadTx, settings: Settings, agent_id: str) -> dict[str, object]:
    known = settings.pipeline.predictor
    found = report.status(tx, agent_id=agent_id, window=known.drift_reset_window)
    return {
        "running": known.enabled,
        "modelReady": found["status"]["trained"],
        "coldStartExited": found["state"]["coldStartExited"],
        "successRate": found["state"]["successRate"],
        "alpha": found["state"]["alpha"],
    }


def _workers(
    living: Sequence[Mapping[str, object]], leased: Sequence[Row], now: datetime
) -> dict[str, dict[str, object]]:
    process = next(one for one in living if one["name"] == "worker")
    is_there = process["state"] == "running"
    return {
        name: {
            "running": is_there and bool(kinds),
            "process": process["name"],
            "pid": process["pid"],
            # The kernel confirms that the process holds its lock.
            "lastHeartbeatAt": clock.to_text(now) if is_there else None,
            "currentJob": _current([row for row in leased if row["job_type"] in kinds]),
        }
        for name, kinds in WORKERS.items()
    }


def _current(leased: Sequence[Row]) -> dict[str, object] | None:
    if not leased:
        return None
    row = leased[0]
    return {"id": row["id"], "kind": row["job_type"], "startedAt": row["leased_at"]}


def _kind(one: Progress, paused: bool) -> dict[str, object]:
    eta = None if paused else one.eta_seconds
    return {
        JobStatus.PENDING: one.waiting + one.delayed,
        JobStatus.LEASED: one.running,
        JobStatus.DEAD: one.dead,
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
    """Return this hour's use of each provider that was called."""
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


@serves(wire.NUDGE)
async def post_nudge(state: Shared) -> wire.Nudged:
    """Retry waiting jobs and providers now, and run maintenance; return the workers that were woken.

    The list is empty while the worker is down or paused; it then starts with this.
    """
    now = clock.now()
    await state.db.awrite(_nudge, is_maintained=cycle.is_on(state.settings), now=now)
    is_heard = await state.db.aread(processes.takes_jobs, state.workspace)
    return {"success": True, "nudged": list(WORKERS) if is_heard else []}


def _nudge(tx: WriteTx, *, is_maintained: bool, now: datetime) -> None:
    admin.hurry(tx, now=now)
    if is_maintained:
        cycle.ask(tx, f"nudged {clock.to_text(now)}", now=now)


@serves(wire.MODELS)
async def get_models(state: Shared, provider: Text = None, deprecated: Flag = False) -> wire.Models:
    """Return the available models of all providers or one, and the list's age; `deprecated` includes replaced ones."""
    _look(state)
    known = _by_provider(state, deprecated=deprecated)
    chosen_from = known.values() if provider is None else [known.get(provider, [])]
    return {"models": [*chain.from_iterable(chosen_from)], "registry": _registry(state)}


@serves(wire.MODELS_BY_PROVIDER)
async def get_models_by_provider(state: Shared) -> dict[str, list[wire.OfferedModel]]:
    """Return the models of each provider, including replaced ones."""
    _look(state)
    return _by_provider(state)


@serves(wire.REFRESH_MODELS)
async def post_refresh(state: Shared) -> wire.RefreshedModels | Response:
    """Fetch the models of the configured Ollama server, at most once a minute; contacts no other provider."""
    left = None
    if state.settings.pipeline.model_registry.enabled:
        left = await state.models.refresh(_asked(state))
    found: wire.RefreshedModels = {
        "models": _by_provider(state),
        "registry": _registry(state),
        "throttled": left is not None,
    }
    if left is None:
        return found
    seconds = math.ceil(left)
    return answer(
        429,
        f"The list was refreshed a moment ago; again in {seconds} s",
        "rate_limited",
        facts=found,
        headers={"retry-after": str(seconds)},
    )


def _look(state: State) -> None:
    settings = state.settings.pipeline.model_registry
    if settings.enabled:
        state.models.refresh_if_old(
            _asked(state), interval_seconds=settings.refresh_interval_ms / 1_000
        )


def _asked(state: State) -> TextSettings:
    return registry.text_settings(state.settings, state.live.loaded.environment)


def _by_provider(state: State, *, deprecated: bool = True) -> dict[str, list[wire.OfferedModel]]:
    return state.models.by_provider(deprecated=deprecated)


def _registry(state: State) -> wire.ModelRegistry:
    last = state.models.refreshed
    return {
        "enabled": state.settings.pipeline.model_registry.enabled,
        "lastRefreshAt": clock.to_text(last.at) if last else None,
        "error": last.fault if last else None,
        "modelCounts": {name: len(models) for name, models in state.models.by_provider().items()},
    }
