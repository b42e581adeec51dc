"""Repairs: one route per action of the catalog, and the counts behind them.

A short repair is one transaction. A long one is a worker job; the request waits a few seconds for it, then answers
202 with the job. Without a worker, repairs that need none run here in small steps within that time; the rest becomes
a job.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import Query, Request, Response
from fastapi.responses import JSONResponse

from signet import clock
from signet.config import Settings
from signet.db import ReadTx
from signet.domain.auth import caller
from signet.domain.maintenance import cycle
from signet.domain.memory.models import Actor
from signet.domain.repair import gate, memories, models, run
from signet.domain.repair.catalog import ACTIONS, BY_NAME, Option, RepairAction, RowFilter
from signet.domain.repair.gate import GateStanding
from signet.domain.repair.models import (
    RefusalReason,
    RepairOrder,
    RepairRefused,
    RepairResult,
    RowChoice,
)
from signet.errors import Invalid
from signet.wire import operations
from signet.wire import repair as wire
from signet.wire.requests.memory import Share
from signet.wire.requests.model import GIVEN, ClampedInt
from signet_api import processes
from signet_api.deps import Shared, State, Who, agent_of
from signet_api.errors import RETRY_AFTER
from signet_api.serving import parse_json, serves
from signet_api.shapes import as_wire

#: How long a request waits for its job or repairs itself, and the polling interval.
PATIENCE_MS = 10_000
LOOK_SECONDS = 0.05
#: Status and default retry delay (ms) of each refusal. Disabled repairs have no delay; all other reasons are temporary.
REFUSALS: Mapping[RefusalReason | None, tuple[int, int | None]] = {
    RefusalReason.FROZEN: (409, None),
    RefusalReason.DISABLED: (409, None),
    RefusalReason.UNAVAILABLE: (503, 30_000),
    RefusalReason.ERROR: (500, None),
}
#: Actor types that a local caller may claim; others count as the least trusted one (RP-4).
TYPES = frozenset({"operator", "agent", "pipeline", "harness", "sdk"})

#: JSON types of options.
_TYPES: Mapping[type, Literal["integer", "number", "boolean", "string"]] = {
    int: "integer",
    float: "number",
    bool: "boolean",
    str: "string",
}
#: Body fields of each filter.
_FILTER_FIELDS = {
    RowFilter.IDS: ("ids",),
    RowFilter.KIND: ("kind",),
    RowFilter.AGE: ("since", "until"),
    RowFilter.ERROR: ("error",),
}


def _serve(action: RepairAction) -> None:
    async def post_repair(request: Request, state: Shared, actor: Who) -> wire.Repaired | Response:
        return await _answer(action, request, state, actor)

    post_repair.__name__ = f"post_{action.path.replace('-', '_').replace('/', '_')}"
    post_repair.__doc__ = f"{action.help} With `dryRun`, only report the planned changes."
    named = ["agent_id"] if any(one.name == "agentId" for one in action.options) else []
    serves(
        _OPERATIONS[f"/api/repair/{action.path}"], description=_described(action), parameters=named
    )(post_repair)


def _described(action: RepairAction) -> dict[str, Any]:
    """Return the OpenAPI description of an action's body; all fields are optional."""
    fields: dict[str, object] = {"dryRun": {"type": "boolean", "default": action.looks_first}}
    for option in action.options:
        bounds = {"minimum": option.low, "maximum": option.high} if option.high else {}
        choices = {"enum": list(option.choices)} if option.choices else {}
        field = {"type": _TYPES[option.type], "description": option.help, **bounds, **choices}
        fields[option.name] = field | (
            {} if option.default is None else {"default": option.default}
        )
    for name in (field for one in action.filters for field in _FILTER_FIELDS[one]):
        is_list = name in ("ids", "kind")
        texts = {"type": "array", "items": {"type": "string"}}
        fields[name] = texts if is_list else {"type": "string"}
    schema = {"type": "object", "properties": fields}
    goes_on = {
        "202": {
            "description": "The job in `details` continues in the background",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Repaired"}}},
        }
    }
    body: dict[str, Any] = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    return body | ({"responses": goes_on} if run.is_long(action) else {})


_OPERATIONS = {
    one.path: one for one in operations.BY_ID.values() if one.replies == (wire.Repaired,)
}
for _action in ACTIONS:
    _serve(_action)


@serves(wire.REPAIRS)
async def get_repairs(state: Shared) -> wire.Repairs:
    """Return every repair with its options, whether it is recommended, and when it may run."""
    report = await state.reports.get(state.settings)
    found = await state.db.aread(cycle.recommended, state.settings, report)
    triggers = {one.action: one.trigger for one in found}
    rows = await state.db.aread(_catalog, state.settings, triggers, now=clock.now())
    # Sorting is stable and keeps the catalog's order.
    rows.sort(key=lambda row: row["recommended"] is None)
    return {"repairs": rows, "count": len(rows)}


def _catalog(
    tx: ReadTx, settings: Settings, triggers: Mapping[str, str], *, now: datetime
) -> list[wire.KnownRepair]:
    return [
        _known(action, gate.standing(tx, action, settings, now=now), triggers.get(action.name))
        for action in ACTIONS
    ]


def _known(action: RepairAction, standing: GateStanding, trigger: str | None) -> wire.KnownRepair:
    return as_wire(
        wire.KnownRepair,
        action,
        action=action.name,
        options=list(map(_option, action.options)),
        filters=list(action.filters),
        recommended=trigger,
        lastRunAt=clock.to_text(standing.last) if standing.last else None,
        waitMs=standing.wait_ms,
        runsLeft=standing.runs_left,
        runsPerHour=standing.limits.per_hour,
    )


def _option(option: Option) -> wire.RepairOption:
    is_bounded = bool(option.high)
    return as_wire(
        wire.RepairOption,
        option,
        type=_TYPES[option.type],
        low=option.low if is_bounded else None,
        high=option.high if is_bounded else None,
        choices=list(option.choices),
        required=option.is_required,
    )


@serves(wire.EMBEDDING_GAPS)
async def get_embedding_gaps(state: Shared) -> wire.EmbeddingGaps:
    """Return how many memories lack a vector of the current model."""
    return await state.db.aread(gate.embedding_gaps, model=state.vectors.model)


@serves(wire.DEDUP_STATS)
async def get_dedup_stats(state: Shared) -> wire.DedupStats:
    """Return the number of duplicate memories."""
    return await state.db.aread(gate.dedup_stats)


@serves(wire.COLD_STATS)
async def get_cold_stats(state: Shared) -> wire.ColdStats:
    """Return the content of the archive."""
    return await state.db.aread(gate.cold_stats)


@serves(wire.INTEGRITY_CHECK)
async def get_integrity_check(state: Shared) -> wire.Integrity:
    """Check the database file for at most 30 seconds, and test both indexes."""
    return await state.db.aread(gate.integrity, now=clock.now())


@serves(wire.DEAD_MEMORIES)
async def get_dead_memories(
    state: Shared,
    limit: Annotated[int, ClampedInt(1, 500)] = 50,
    days: Annotated[int, ClampedInt(1, 36_500), Query(alias="unusedDays")] = memories.UNUSED_DAYS,
    confidence: Annotated[Share, GIVEN, Query(alias="maxConfidence")] = memories.MOST_CONFIDENCE,
) -> wire.DeadMemories:
    """Return unused memories with low confidence, the lowest first."""
    order = _order(BY_NAME["forgetDeadMemories"], {"reason": "look"}, state, Actor(), is_dry=True)
    rows, total = await state.db.aread(
        memories.dead,
        limit=limit,
        confidence=confidence,
        unused=timedelta(days=days),
        order=order,
    )
    items = [as_wire(wire.DeadMemory, row, content=row["shown"]) for row in rows]
    return {"items": items, "total": total}


async def _answer(
    action: RepairAction, request: Request, state: State, actor: Actor
) -> JSONResponse:
    sent = await _body(request)
    if any(option.name == "agentId" for option in action.options):
        sent = {
            "agentId": await agent_of(request.query_params.get("agent_id"), None, request),
            **sent,
        }
    order = _order(action, sent, state, _repairer(request, actor), request=request)
    _check(order, state)
    result = await _done(order, state)
    state.reports.drop()
    return _json(result)


async def _done(order: RepairOrder, state: State) -> RepairResult:
    if not order.writes:
        return await state.db.aread(run.preview, order)
    try:
        if not run.is_long(order.action):
            return run.counted(await state.db.awrite(run.change, order))
        if await _is_at_work(state) or order.action.needs_worker:
            return await _by_worker(order, state)
        return _told(await asyncio.to_thread(_here, order, state), is_at_work=False)
    except RepairRefused as error:
        return run.counted(RepairResult.refused(order, error))


def _here(order: RepairOrder, state: State) -> RepairResult:
    """Repair in this process within a request's time."""
    ends_at = clock.monotonic_ms() + PATIENCE_MS

    def check() -> None:
        if clock.monotonic_ms() >= ends_at:
            raise run.OutOfTime

    return run.now(state.db, order, state.workspace, check=check)


async def _by_worker(order: RepairOrder, state: State) -> RepairResult:
    """Queue the repair and wait for its end; not at all without a worker."""
    job_id = await state.db.awrite(run.begin, order)
    is_at_work = await _is_at_work(state)
    ends_at = clock.monotonic_ms() + PATIENCE_MS
    found = await state.db.aread(run.progress, order, job_id)
    while found.job_id and is_at_work and clock.monotonic_ms() < ends_at:
        await asyncio.sleep(LOOK_SECONDS)
        found = await state.db.aread(run.progress, order, job_id)
    return _told(found, is_at_work=is_at_work)


def _told(result: RepairResult, *, is_at_work: bool) -> RepairResult:
    """Return the result with the reason for its delay, unless it is only time."""
    if result.job_id is None or is_at_work:
        return result
    return replace(result, message=f"{result.message}; no worker takes jobs now")


async def _is_at_work(state: State) -> bool:
    return await state.db.aread(processes.takes_jobs, state.workspace)


async def _body(request: Request) -> Mapping[str, object]:
    """Return the body's fields; raises Invalid: an unreadable one may have requested a dry run."""
    raw = await request.body()
    try:
        sent = parse_json(raw) if raw.strip() else None
    except json.JSONDecodeError:
        sent = raw
    if sent is not None and not isinstance(sent, Mapping):
        raise Invalid("Invalid JSON body")
    return sent or {}


def _order(
    action: RepairAction,
    sent: Mapping[str, object],
    state: State,
    actor: Actor,
    *,
    request: Request | None = None,
    is_dry: bool = False,
) -> RepairOrder:
    settings = state.settings
    reason = request.headers.get("x-signet-reason") if request else None
    return RepairOrder(
        action=action,
        settings=settings,
        actor=actor,
        now=clock.now(),
        monotonic_ms=clock.monotonic_ms(),
        options=models.read_options(action, sent, settings.pipeline.repair),
        chosen=models.read_filters(action, sent) if request else RowChoice(),
        reason=(reason or "").strip() or "manual repair",
        is_dry=is_dry or models.read_is_dry(action, sent),
    )


def _repairer(request: Request, actor: Actor) -> Actor:
    """Return who repairs: the token's holder, else whom the headers name.

    Unknown types count as agents, and a caller that claims to be the daemon counts as an operator.
    """
    headers = request.headers
    type, name = actor.type, actor.name
    if caller.current().claims is None:
        claimed = headers.get("x-signet-actor-type") or "operator"
        type = "operator" if claimed == "daemon" else claimed if claimed in TYPES else "agent"
        name = name if headers.get("x-signet-actor") else "operator"
    return Actor(
        name=name,
        type=type,
        session_id=actor.session_id,
        request_id=actor.request_id or str(uuid4()),
    )


def _check(order: RepairOrder, state: State) -> None:
    """Raise Invalid if the settings or the action rule out the order."""
    if order.action.name == "backfillHints" and not state.settings.pipeline.hints.enabled:
        raise Invalid("hints are disabled")
    if order.action.name == "forgetDeadMemories" and not 1 <= len(order.chosen.ids or ()) <= 200:
        raise Invalid("ids must be a list of 1 to 200 strings")


def _json(result: RepairResult) -> JSONResponse:
    if result.job_id:
        return JSONResponse(result.body(), 202)
    if result.success:
        return JSONResponse(result.body(), 200)
    status, usual_ms = REFUSALS.get(result.reason, (429, RETRY_AFTER * 1000))
    wait_ms = result.wait_ms or usual_ms
    waits = {} if wait_ms is None else {"retry-after": str(-(-wait_ms // 1000))}
    return JSONResponse(result.body(), status, waits)
