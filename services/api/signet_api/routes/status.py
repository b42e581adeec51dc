"""Status, health and readiness of the daemon, from rows and settings, without external calls (TK-52).

`/health` and `/health/live` answer from memory without waiting; a background check updates it once a second
(health.py).
"""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, cast

from fastapi import Query, Response

from signet import __version__, clock, config
from signet.care.doctor import installed
from signet.care.doctor.models import DoctorCheck
from signet.config import Settings
from signet.db import ReadTx, driver, inspection
from signet.db.postgres.address import shown
from signet.domain.auth import caller
from signet.domain.backup.restore import STORAGE_URL
from signet.domain.diagnostics import report
from signet.domain.diagnostics.counts import DEGRADED, HealthReport, status_of
from signet.domain.embeddings import vectors as embeddings
from signet.domain.extraction.models import Mode, mode_of
from signet.domain.memory import review
from signet.domain.sessions import running as sessions
from signet.domain.transcripts import readings
from signet.domain.updates.check import is_allowed
from signet.errors import Invalid
from signet.net import http
from signet.observe import logfile
from signet.process.program import SUPERVISOR_PID
from signet.providers import registry, resolved
from signet.providers.registry import TextSettings
from signet.providers.resolved import PipelinePart
from signet.queue import circuit_breaker, pauses, stats
from signet.queue.kinds import QUEUES
from signet.wire import diagnostics
from signet.wire import status as wire
from signet.wire.diagnostics import Diagnoses, Diagnosis
from signet.wire.requests.browse import StatusParams
from signet_api import processes
from signet_api.deps import Shared, State
from signet_api.health import Seen
from signet_api.serving import respond, serves
from signet_api.shapes import as_wire


@serves(wire.STATUS)
async def get_status(state: Shared, query: Annotated[StatusParams, Query()]) -> wire.Status:
    """Return version, processes, queue, providers and effective settings; `parts` selects some, which is faster."""
    for name in query.parts:
        if name not in PARTS:
            raise Invalid(f"parts: unknown part {name!r}; choose from {', '.join(PARTS)}")
    return await status(state, frozenset(query.parts) or ALL)


@serves(wire.RESOURCES)
async def get_resources(state: Shared) -> wire.Resources:
    """Return memory and processor time of each process, and disk use of each part of the workspace."""
    running = await state.db.aread(processes.states, state.workspace)
    return await asyncio.to_thread(processes.taken, running, state.workspace)


async def status(state: State, parts: frozenset[str]) -> wire.Status:
    """Return the selected `PARTS` of `/api/status`; others are not computed."""
    found: dict[str, object] = {name: of(state) for name, of in _KNOWN.items() if name in parts}
    if parts & _STORED.keys():
        found |= await state.db.aread(_rows, state, parts, clock.now())
    if parts & set(_SEEN):
        seen = await state.health.check()
        found |= {"memoryDb": seen.database, "reasons": list(seen.reasons)}
        if "health" in parts:
            found["health"] = _health(await state.reports.get(state.settings), seen)
    if "update" in parts:
        found["update"] = await _update(state)
    address = state.live.loaded.address
    answer: wire.Status = {
        "status": "running",
        "version": __version__,
        "pid": main_pid(),
        "uptime": uptime(state),
        "startedAt": clock.to_text(state.started_at),
        "port": state.port,
        "host": address.host,
        "bindHost": address.bind,
        "agentsDir": str(state.workspace.root),
    }
    return cast(wire.Status, answer | {name: found[name] for name in PARTS if name in parts})


def _pipeline(state: State) -> object:
    """Return the settings of the pipeline; the address of extraction is that of another machine's Ollama too."""
    found = cast(dict[str, Any], config.as_public_dict(state.settings).get("pipelineV2", {}))
    extraction, usual = found.get("extraction", {}), state.live.loaded.environment.ollama_url
    is_usual = extraction.get("provider") == registry.OLLAMA and not extraction.get("endpoint")
    if is_usual and not http.is_loopback(usual):
        extraction["endpoint"] = http.shown(usual)
    return found


def _storage(tx: ReadTx, state: State, _: datetime) -> wire.Storage:
    if state.db.url is not None:
        return {
            "engine": "postgresql",
            "address": shown(state.db.url),
            "version": inspection.server(tx).version,
            "safe": True,
            "vectors": "numpy",
        }
    return {
        "engine": "sqlite",
        "address": None,
        "version": driver.sqlite.sqlite_version,
        "safe": driver.version_is_safe(),
        "vectors": "sqlite-vec" if state.db.has_vec else "numpy",
    }


def _logging(state: State) -> wire.LogFiles:
    place = logfile.place(state.workspace.log_dir, os.environ)
    today = clock.to_text(clock.now())[:10]
    return {"logDir": str(place.directory), "logFile": str(place.path(today))}


def _queue(tx: ReadTx, _: State, __: datetime) -> object:
    held = [one._asdict() for one in pauses.pauses(tx)]
    return stats.totals(tx) | {"paused": pauses.is_paused(tx), "pauses": held}


def _waiting(tx: ReadTx, _: State, __: datetime) -> object:
    found = {name: circuit_breaker.breaker_retry_at(tx, name) for name in QUEUES}
    return {name: clock.ms_to_text(at) for name, at in found.items() if at is not None}


def _embedding(tx: ReadTx, state: State, _: datetime) -> wire.EmbeddingState:
    model = state.vectors.model
    coverage = embeddings.coverage(tx, model=model)
    return {
        "provider": state.settings.embedding.provider,
        "model": model,
        "available": state.vectors.is_warm,
        "total": coverage.total,
        "embedded": coverage.embedded,
    }


#: Parts from this process, parts from rows, and parts that are read together.
_KNOWN: Mapping[str, Callable[[State], object]] = {
    "pipelineV2": _pipeline,
    "agentCreatedAt": lambda state: state.settings.agent.created,
    "holdout": lambda state: state.settings.pipeline.predictor.held_out,
    "configError": lambda state: state.live.loaded.error,
    "configWarnings": lambda state: list(state.live.loaded.warnings),
    "restartRequired": lambda state: state.live.restart_required,
    "logging": _logging,
}
_STORED: Mapping[str, Callable[[ReadTx, State, datetime], object]] = {
    "storage": _storage,
    "processes": lambda tx, state, _: processes.states(tx, state.workspace),
    "activeSessions": lambda tx, _, now: sessions.counts(tx, now=now)[0],
    "bypassedSessions": lambda tx, _, now: sessions.counts(tx, now=now)[1],
    "providerResolution": lambda tx, state, _: told(tx, state),
    "queue": _queue,
    "oldestDueSeconds": lambda tx, _, now: stats.oldest_due_seconds(tx, now=now),
    "waitingForProvider": _waiting,
    "embedding": _embedding,
    "reviewsWaiting": lambda tx, _, __: review.count_waiting(tx),
    "capture": lambda tx, _, now: readings.capture(tx, now=now),
}
_SEEN = ("memoryDb", "reasons", "health")
PARTS = (*_KNOWN, *_STORED, *_SEEN, "update")
ALL = frozenset(PARTS)


def _rows(tx: ReadTx, state: State, parts: frozenset[str], now: datetime) -> dict[str, object]:
    return {name: of(tx, state, now) for name, of in _STORED.items() if name in parts}


async def _update(state: State) -> wire.UpdateStatus:
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


def _health(report: HealthReport, seen: Seen) -> Diagnosis:
    """Return the health score; at most half while a part of the daemon is missing."""
    whole = report.composite()
    if seen.is_whole:
        return whole
    score = min(report.score, DEGRADED)
    return {**whole, "score": score, "status": status_of(score)}


#: Seconds after a start during which a missing model means not ready; a start may take 3 s.
MODEL_SECONDS = 1.5


@serves(wire.HEALTH)
async def get_health(state: Shared) -> wire.Health:
    """Return that the API answers; `db` is false if the database does not, `status` degraded if processing is stuck."""
    seen = state.health.last
    found: wire.Health = {
        "status": "healthy" if seen.is_whole else "degraded",
        "uptime": uptime(state),
        "pid": main_pid(),
        "version": __version__,
        "port": state.port,
        "db": seen.database,
        "reasons": _shown(state, seen.reasons),
        "updateAvailable": state.health.update.is_update,
        "pendingRestart": state.health.pending or _other_storage(state),
    }
    if caller.current().is_local_user:
        found["agentsDir"] = str(state.workspace.root)
    return found


def _other_storage(state: State) -> str | None:
    """Return the setting of the storage, if this process still uses another one."""
    return next((key for key in state.live.restart_required if key == STORAGE_URL), None)


def _shown(state: State, reasons: Sequence[str]) -> list[str]:
    """Return reasons, without the workspace's path unless the caller is the daemon's user."""
    if caller.current().is_local_user:
        return [*reasons]
    return [reason.replace(str(state.workspace.root), "WORKSPACE") for reason in reasons]


@serves(wire.HEALTH_LIVE)
@serves(wire.LIVE)
async def get_live() -> wire.Live:
    """Return that this process is not stuck, without any check."""
    return {"status": "live"}


@serves(wire.HEALTH_READY)
@serves(wire.READY)
async def get_ready(state: Shared, verbose: str | None = None) -> Response:
    """Return whether database, schema, worker and scheduler are ready (200), else what is missing (503).

    `code` is set if nothing can be stored or the database is damaged. After a start, the embedding model must be
    loaded too.
    """
    seen = await state.health.check()
    is_loading = state.vectors.is_loading and uptime(state) < MODEL_SECONDS
    is_ready = seen.is_ready and not is_loading
    loading = ["the embedding model is loading"] if is_loading else []
    reasons = [*_shown(state, seen.reasons), *loading]
    body: wire.Ready = {"status": "ready" if is_ready else "not ready", "reasons": reasons}
    if not is_ready:
        body["error"] = ", ".join(reasons)
    if seen.code is not None and all(dict(seen.checks).values()):
        body["code"] = seen.code
    if verbose is not None:
        body["checks"] = dict(seen.checks)
    return respond(body, wire.READY, 200 if is_ready else 503)


def uptime(state: State) -> float:
    """Return seconds since this process started."""
    return round((clock.elapsed_ms() - state.started_ms) / 1000, 3)


def main_pid() -> int:
    """Return the pid of the supervisor, else of this process."""
    return int(os.environ.get(SUPERVISOR_PID) or os.getpid())


@serves(wire.FEATURES)
async def get_features(state: Shared) -> dict[str, bool]:
    """Return the boolean flags of the `features` section."""
    return dict(state.settings.features)


#: Circuit breakers of text and vector jobs.
TEXTS, VECTORS = "llm", "vectors"


def told(tx: ReadTx, state: State) -> dict[str, dict[str, object]]:
    """Return configured, resolved and effective provider of each part of the pipeline, with reasons."""
    settings, environment = state.settings, state.live.loaded.environment
    embedding = settings.embedding
    parts: dict[str, tuple[str, str, dict[str, object], str]] = {}
    for part, wanted in (
        (PipelinePart.EXTRACTION, registry.text_settings(settings, environment)),
        (PipelinePart.SYNTHESIS, registry.synthesis_settings(settings, environment)),
    ):
        parts[part] = (wanted.provider, wanted.model, _text(tx, part, wanted), TEXTS)
    vectors: dict[str, object] = {
        "resolved": str(embedding.provider),
        "reason": None,
        "since": None,
    }
    parts["embedding"] = (embedding.provider, embedding.model, vectors, VECTORS)
    return {
        part: {
            "provider": provider,
            "model": model,
            "configured": provider,
            **_standing(tx, settings, found, breaker),
        }
        for part, (provider, model, found, breaker) in parts.items()
    }


def _text(tx: ReadTx, part: PipelinePart, wanted: TextSettings) -> dict[str, object]:
    """Return the resolved provider; only the worker can resolve `auto`."""
    if wanted.provider != registry.AUTO:
        found = registry.resolve(wanted, lambda _: False)
        return {"resolved": found.effective, "reason": found.reason, "since": None}
    kept = resolved.read(tx, part)
    if kept is None or not kept.is_about(wanted):
        why = "the worker finds out with its first job"
        return {"resolved": None, "reason": why, "since": None}
    return {"resolved": kept.effective, "reason": kept.reason, "since": kept.since}


def _standing(
    tx: ReadTx, settings: Settings, found: dict[str, object], breaker: str
) -> dict[str, object]:
    provider = found["resolved"]
    if mode_of(settings) is Mode.DISABLED:
        off = {"effective": registry.NONE, "status": "disabled", "reason": "the pipeline is off"}
        return found | off
    if provider == registry.NONE:
        return found | {"effective": provider, "status": "disabled"}
    if pauses.is_paused(tx):
        return found | {"effective": provider, "status": "paused"}
    stopped = next((one for one in stats.breakers(tx) if one.name == breaker), None)
    if stopped is not None and provider != registry.RULES:
        why = {"reason": stopped.error, "since": stopped.since}
        return found | {"effective": registry.NONE, "status": "blocked", **why}
    return found | {"effective": provider, "status": "active" if provider else "unknown"}


@serves(diagnostics.CHECKS)
async def get_checks(state: Shared) -> diagnostics.CheckResults:
    """Check machine, workspace, database and models, as `signet doctor` does; may wait for a model."""
    found = installed.checks(state.workspace, os.environ, now=clock.now())
    listed = await asyncio.to_thread(list[DoctorCheck], found)
    return {"checks": [as_wire(diagnostics.CheckResult, one) for one in listed]}


@serves(diagnostics.DIAGNOSTICS)
async def get_diagnostics(state: Shared) -> Diagnoses:
    """Return every domain's score, and the weighted total with reasons and commands."""
    return (await state.reports.get(state.settings)).as_dict()


@serves(diagnostics.DIAGNOSIS)
async def get_diagnostics_domain(domain: str, state: Shared) -> Diagnosis:
    """Return one domain, or `composite`."""
    return report.part(await state.reports.get(state.settings), domain)
