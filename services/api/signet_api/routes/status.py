"""Everything about the daemon in one answer; from rows and settings, no call outside (TK-52)."""

import os
from datetime import datetime
from typing import Any, TypedDict

from signet import __version__, clock, config
from signet.db import ReadTx, driver
from signet.domain.diagnostics.models import DEGRADED, Report, status_of
from signet.domain.embeddings import vectors as embeddings
from signet.domain.memory import review
from signet.domain.sessions import running as sessions
from signet.domain.updates.check import is_allowed
from signet.observe import logfile
from signet.queue import admin, circuit_breaker, stats
from signet.queue.kinds import QUEUES
from signet.wire import status as wire
from signet.wire.diagnostics import Diagnosis
from signet.wire.status import EmbeddingState, LogFiles, Status, UpdateStatus
from signet_api import processes, resolution
from signet_api.deps import Shared, State
from signet_api.health import Seen
from signet_api.routes.health import main_pid, uptime
from signet_api.serving import serves


class _Stored(TypedDict):
    processes: list[dict[str, object]]
    activeSessions: int
    bypassedSessions: int
    providerResolution: dict[str, dict[str, object]]
    queue: dict[str, Any]
    oldestDueSeconds: float | None
    waitingForProvider: dict[str, str]
    embedding: EmbeddingState
    reviewsWaiting: int


@serves(wire.STATUS)
async def get_status(state: Shared) -> Status:
    """Return version, processes, queue, providers and settings in force."""
    return await status(state)


async def status(state: State) -> Status:
    """Return the answer of `/api/status`."""
    settings, loaded = state.settings, state.live.loaded
    rows = await state.db.aread(_rows, state, clock.now())
    seen = await state.health.look()
    report = await state.reports.get(settings)
    pipeline = config.as_public_dict(settings).get("pipelineV2", {})
    assert isinstance(pipeline, dict)
    return {
        "status": "running",
        "version": __version__,
        "pid": main_pid(),
        "uptime": uptime(state),
        "startedAt": clock.to_text(state.started_at),
        "port": state.port,
        "host": loaded.address.host,
        "bindHost": loaded.address.bind,
        "agentsDir": str(state.workspace.root),
        "memoryDb": seen.database,
        "pipelineV2": pipeline,
        "health": _health(report, seen),
        "reasons": list(seen.reasons),
        "agentCreatedAt": settings.agent.created,
        "configError": loaded.error,
        "configWarnings": list(loaded.warnings),
        "restartRequired": state.live.restart_required,
        "logging": _logging(state),
        "update": await _update(state),
        "sqlite": {
            "version": driver.sqlite.sqlite_version,
            "safe": driver.version_is_safe(),
            "vectors": "sqlite-vec" if state.db.has_vec else "numpy",
        },
        **rows,
    }


def _rows(tx: ReadTx, state: State, now: datetime) -> _Stored:
    model = state.vectors.model
    coverage = embeddings.coverage(tx, model=model)
    active, bypassed = sessions.counts(tx, now=now)
    waiting = {name: circuit_breaker.breaker_retry_at(tx, name) for name in QUEUES}
    return {
        "processes": processes.states(tx, state.workspace.runtime_dir, now=now),
        "activeSessions": active,
        "bypassedSessions": bypassed,
        "providerResolution": resolution.told(tx, state),
        "queue": stats.totals(tx) | {"paused": admin.is_paused(tx)},
        "oldestDueSeconds": stats.oldest_due_seconds(tx, now=now),
        "waitingForProvider": {
            name: clock.ms_to_text(at) for name, at in waiting.items() if at is not None
        },
        "embedding": {
            "provider": state.settings.embedding.provider,
            "model": model,
            "available": state.vectors.is_warm,
            "total": coverage.total,
            "embedded": coverage.embedded,
        },
        "reviewsWaiting": review.count(tx),
    }


def _logging(state: State) -> LogFiles:
    place = logfile.place(state.workspace.log_dir, os.environ)
    today = clock.to_text(clock.now())[:10]
    return {"logDir": str(place.directory), "logFile": str(place.path(today))}


async def _update(state: State) -> UpdateStatus:
    await state.health.look_at_updates()
    known, settings = state.health.update, state.settings.updates
    return {
        "currentVersion": __version__,
        "latestVersion": known.latest_version,
        "updateAvailable": known.is_update,
        "pendingRestart": state.health.pending,
        "autoInstall": settings.auto_install,
        "checkInterval": settings.check_interval_seconds,
        "lastCheckAt": known.checked_at,
        "lastError": known.check_error or known.last_auto_update_error,
        "timerActive": is_allowed(settings),
    }


def _health(report: Report, seen: Seen) -> Diagnosis:
    """Return how well the store is; at best half well while something of the daemon itself is missing."""
    whole = report.composite()
    if seen.is_whole:
        return whole
    score = min(report.score, DEGRADED)
    return {**whole, "score": score, "status": status_of(score)}
