"""The entities of an agent: lists, what is known of one, and what a person wants of it."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from fastapi import APIRouter, Request

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.graph import browse, pins, stats
from signet.domain.graph.browse import Detail
from signet.domain.graph.missing_tables import borne
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.pins import Pin, PinType
from signet.domain.graph.stats import EntityHealth
from signet.domain.memory import filters
from signet.errors import Frozen, Invalid
from signet.wire.requests.knowledge import PinBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Shared, State, agent_of
from signet_api.params import whole

router = APIRouter(tags=["knowledge"], route_class=JsonRoute)

T = TypeVar("T")
U = TypeVar("U")

KINDS = ("attribute", "constraint")
STATUSES = ("active", "superseded", "deleted")
#: Rows of a page, and how far pages reach.
USUAL, MOST, FURTHEST = 50, 200, 1_000_000
#: What a row of an entity holds beside the entity.
COUNTED = frozenset(("aspectCount", "attributeCount", "constraintCount", "incoming", "outgoing"))


@router.get("/api/knowledge/entities")
async def get_entities(request: Request, state: Shared) -> dict[str, object]:
    """Return a page of an agent's entities with how much is known of each, the important ones first."""
    params = request.query_params
    limit, offset = _page(request)
    rows, total = await look(
        state,
        await agent(request),
        browse.entities,
        type=params.get("type") or None,
        q=params.get("q") or None,
        limit=limit,
        offset=offset,
        otherwise=((), 0),
    )
    items = [{"entity": _entity(row), **_counts(row)} for row in rows]
    return {"items": items, "limit": limit, "offset": offset, "total": total}


@router.get("/api/knowledge/entities/pinned")
async def get_pinned(request: Request, state: Shared) -> list[dict[str, object]]:
    """Return the pinned entities, newest first; with `pin_type=suppress` those left out of walks."""
    type = _one_of("pin_type", request.query_params.get("pin_type"), tuple(PinType)) or PinType.PIN
    found = await look(state, await agent(request), pins.listed, PinType(type), otherwise=())
    return [dict(row) for row in found]


@router.get("/api/knowledge/entities/health")
async def get_entity_health(request: Request, state: Shared) -> list[dict[str, object]]:
    """Return how the predictor did in the sessions about each entity, best first."""
    params = request.query_params
    found = await look(
        state,
        await agent(request),
        stats.health,
        since=filters.instant("since", params.get("since")),
        least=whole(params.get("min_comparisons"), 3, low=1, high=FURTHEST),
        otherwise=(),
    )
    return [_health(one) for one in found]


@router.get("/api/knowledge/entities/{entity_id}")
async def get_entity(entity_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Return one entity and how much is known of it."""
    found = await look(state, await agent(request), browse.detail, entity_id, otherwise=None)
    if found is None:
        raise UnknownEntity(entityId=entity_id)
    return _detail(found)


@router.get("/api/knowledge/entities/{entity_id}/aspects")
async def get_aspects(entity_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Return the sides from which an entity is known, the weightiest first."""
    rows = await look(state, await agent(request), browse.aspects, entity_id, otherwise=())
    return {"items": [_aspect(row) for row in rows]}


@router.get("/api/knowledge/entities/{entity_id}/aspects/{aspect_id}/attributes")
async def get_attributes(
    entity_id: str, aspect_id: str, request: Request, state: Shared
) -> dict[str, object]:
    """Return a page of what is said of an entity under one aspect; what holds, unless another status is asked for."""
    params = request.query_params
    limit, offset = _page(request)
    status = _one_of("status", params.get("status"), (*STATUSES, "all")) or "active"
    rows = await look(
        state,
        await agent(request),
        browse.attributes,
        entity_id,
        aspect_id,
        kind=_one_of("kind", params.get("kind"), KINDS),
        status=None if status == "all" else status,
        limit=limit,
        offset=offset,
        otherwise=(),
    )
    return {"items": [dict(row) for row in rows], "limit": limit, "offset": offset}


@router.get("/api/knowledge/entities/{entity_id}/dependencies")
async def get_dependencies(entity_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Return the edges of an entity, the strongest first."""
    asked = request.query_params.get("direction")
    direction = _one_of("direction", asked, ("incoming", "outgoing", "both")) or "both"
    rows = await look(
        state, await agent(request), browse.dependencies, entity_id, direction, otherwise=()
    )
    return {"items": [dict(row) for row in rows]}


@router.post("/api/knowledge/entities/{entity_id}/pin")
async def post_pin(
    entity_id: str, request: Request, state: Shared, body: PinBody | None = None
) -> dict[str, object]:
    """Count an entity more in walks of the graph, or leave it out of them."""
    _check_frozen(state)
    asked = body or PinBody.model_validate({})
    pin = Pin(type=PinType(asked.pin_type), weight=asked.weight_override, reason=asked.reason)
    now = clock.now()
    agent_id = await agent(request, asked.agent_id)
    weight = await state.db.awrite(_pin, entity_id, pin, agent_id, now=now)
    is_pinned = pin.type is PinType.PIN
    how = {"pinnedAt": clock.to_text(now)} if is_pinned else {"suppressed": True}
    return {"pinned": is_pinned, **how, "pinType": pin.type, "weightOverride": weight}


@router.delete("/api/knowledge/entities/{entity_id}/pin")
async def delete_pin(entity_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Take back a pin or a suppression."""
    _check_frozen(state)
    await state.db.awrite(pins.clear, entity_id, agent_id=await agent(request))
    return {"pinned": False}


async def agent(request: Request, named: str | None = None) -> str:
    """Return the agent whose graph is asked for, by the body, the address or the headers."""
    return await agent_of(named or request.query_params.get("agent_id"), None, request)


async def look(
    state: State,
    agent_id: str,
    find: Callable[..., T],
    *args: object,
    otherwise: U,
    **fields: object,
) -> T | U:
    """Return what `find` shows the readers of an agent's graph, `otherwise` where there is none.

    It is called with `reader=`, in a read of its own.
    """

    def found(tx: ReadTx) -> T | U:
        reader = agents.reader(tx, agent_id)
        return borne(tx, otherwise, find, *args, reader=reader, **fields)

    return await state.db.aread(found)


def _pin(tx: WriteTx, entity_id: str, pin: Pin, agent_id: str, *, now: datetime) -> float:
    return pins.put(tx, entity_id, pin, reader=agents.reader(tx, agent_id), now=now)


def _page(request: Request) -> tuple[int, int]:
    params = request.query_params
    limit = whole(params.get("limit"), USUAL, low=1, high=MOST)
    return limit, whole(params.get("offset"), 0, low=0, high=FURTHEST)


def _one_of(name: str, text: str | None, known: tuple[str, ...]) -> str | None:
    """Return the word, None when there is none; raises Invalid for any that is not known."""
    if text and text not in known:
        raise Invalid(f"{name} must be {', '.join(known[:-1])} or {known[-1]}")
    return text or None


def _check_frozen(state: State) -> None:
    if state.settings.pipeline.mutations_frozen:
        raise Frozen


def _entity(row: Row) -> dict[str, object]:
    named = {name: value for name, value in dict(row).items() if name not in COUNTED}
    return named | {"pinned": bool(row["pinned"])}


def _counts(row: Row) -> dict[str, object]:
    return {
        "aspectCount": row["aspectCount"],
        "attributeCount": row["attributeCount"],
        "constraintCount": row["constraintCount"],
        "dependencyCount": row["incoming"] + row["outgoing"],
    }


def _detail(found: Detail) -> dict[str, object]:
    counts = _counts(found.entity)
    parts = {"task": found.task, "skill": found.skill}
    return {
        "entity": _entity(found.entity),
        "structuralDensity": counts,
        **counts,
        "incomingDependencyCount": found.entity["incoming"],
        "outgoingDependencyCount": found.entity["outgoing"],
        **{name: dict(row) for name, row in parts.items() if row is not None},
    }


def _aspect(row: Row) -> dict[str, object]:
    aspect = dict(row)
    counts = {name: aspect.pop(name) for name in ("attributeCount", "constraintCount")}
    return {"aspect": aspect, **counts}


def _health(one: EntityHealth) -> dict[str, object]:
    return {
        "entityId": one.entity_id,
        "entityName": one.name,
        "comparisonCount": one.comparisons,
        "winRate": round(one.win_rate, 4),
        "avgMargin": round(one.margin, 4),
        "trend": one.trend,
    }
