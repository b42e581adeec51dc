"""The entities of an agent: lists, what is known of one, and what a person wants of it."""

import re
from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache
from typing import NamedTuple, TypeVar

from fastapi import APIRouter, Request

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.graph import browse, pins, stats
from signet.domain.graph.browse import Detail
from signet.domain.graph.missing_tables import tolerate_missing_tables
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.pins import Pin, PinType
from signet.domain.graph.stats import EntityHealth
from signet.domain.graph.views import CountedAspect, CountedEntity
from signet.domain.memory import filters
from signet.errors import Frozen, Invalid
from signet.wire.requests.knowledge import PinBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Shared, State, agent_of
from signet_api.params import whole

router = APIRouter(tags=["knowledge"], route_class=JsonRoute)

_CAMEL = re.compile(r"_([a-z])")

T = TypeVar("T")
U = TypeVar("U")

KINDS = ("attribute", "constraint")
STATUSES = ("active", "superseded", "deleted")
#: Rows of a page, and how far pages reach.
USUAL, MOST, FURTHEST = 50, 200, 1_000_000
#: Fields of a counted entity that stand next to the entity.
COUNTS = ("aspect_count", "attribute_count", "constraint_count", "incoming", "outgoing")


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
    return [as_wire(row) for row in found]


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
    return {"items": [as_wire(row) for row in rows], "limit": limit, "offset": offset}


@router.get("/api/knowledge/entities/{entity_id}/dependencies")
async def get_dependencies(entity_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Return the edges of an entity, the strongest first."""
    asked = request.query_params.get("direction")
    direction = _one_of("direction", asked, ("incoming", "outgoing", "both")) or "both"
    rows = await look(
        state, await agent(request), browse.dependencies, entity_id, direction, otherwise=()
    )
    return {"items": [as_wire(row) for row in rows]}


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
        return tolerate_missing_tables(tx, otherwise, find, *args, reader=reader, **fields)

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


def as_wire(row: NamedTuple, *, without: Collection[str] = ()) -> dict[str, object]:
    """Return the fields of a row by the names that clients read: `pinned_at` is `pinnedAt`."""
    return {
        wire: value
        for (name, wire), value in zip(_wire_names(type(row)), row, strict=True)
        if name not in without
    }


@cache
def _wire_names(shape: type[NamedTuple]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _CAMEL.sub(lambda m: m[1].upper(), name)) for name in shape._fields)


def _entity(row: CountedEntity) -> dict[str, object]:
    return as_wire(row, without=COUNTS) | {"pinned": bool(row.pinned)}


def _counts(row: CountedEntity) -> dict[str, object]:
    return {
        "aspectCount": row.aspect_count,
        "attributeCount": row.attribute_count,
        "constraintCount": row.constraint_count,
        "dependencyCount": row.incoming + row.outgoing,
    }


def _detail(found: Detail) -> dict[str, object]:
    counts = _counts(found.entity)
    parts = {"task": found.task, "skill": found.skill}
    return {
        "entity": _entity(found.entity),
        "structuralDensity": counts,
        **counts,
        "incomingDependencyCount": found.entity.incoming,
        "outgoingDependencyCount": found.entity.outgoing,
        **{name: as_wire(row) for name, row in parts.items() if row is not None},
    }


def _aspect(row: CountedAspect) -> dict[str, object]:
    return {
        "aspect": as_wire(row, without=("attribute_count", "constraint_count")),
        "attributeCount": row.attribute_count,
        "constraintCount": row.constraint_count,
    }


def _health(one: EntityHealth) -> dict[str, object]:
    return {
        "entityId": one.entity_id,
        "entityName": one.name,
        "comparisonCount": one.comparisons,
        "winRate": round(one.win_rate, 4),
        "avgMargin": round(one.margin, 4),
        "trend": one.trend,
    }
