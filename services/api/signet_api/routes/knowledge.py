"""An agent's entities: lists, attributes, pins, and communities."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, TypeVar

from fastapi import Request

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.graph import browse, communities, pins, stats
from signet.domain.graph.missing_tables import tolerate_missing_tables
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.pins import Pin, PinType
from signet.domain.memory import filters
from signet.errors import Invalid
from signet.wire import knowledge as wire
from signet.wire.requests.knowledge import PinBody
from signet.wire.requests.model import ClampedInt, Text
from signet_api.deps import Shared, State, agent_of
from signet_api.params import Agent
from signet_api.serving import serves

T = TypeVar("T")
U = TypeVar("U")

KINDS = ("attribute", "constraint")
STATUSES = ("active", "superseded", "deleted")
#: Maximum offset.
FURTHEST = 1_000_000
Limit = Annotated[int, ClampedInt(1, 200)]
Offset = Annotated[int, ClampedInt(0, FURTHEST)]


@serves(wire.ENTITIES)
async def get_entities(
    agent: Agent,
    state: Shared,
    type: Text = None,
    q: Text = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> wire.EntityPage:
    """Return a page of entities with their counts, the most important first; `q` is part of the name."""
    items, total = await look(
        state,
        agent,
        browse.entities,
        type=type,
        q=q,
        limit=limit,
        offset=offset,
        otherwise=([], 0),
    )
    return {"items": items, "limit": limit, "offset": offset, "total": total}


@serves(wire.PINNED_ENTITIES)
async def get_pinned(agent: Agent, state: Shared, pin_type: Text = None) -> list[wire.PinnedEntity]:
    """Return the pinned entities, newest first; with `pin_type=suppress` the suppressed ones."""
    type = _one_of("pin_type", pin_type, tuple(PinType)) or PinType.PIN
    return await look(state, agent, pins.listed, PinType(type), otherwise=[])


@serves(wire.ENTITY_HEALTH)
async def get_entity_health(
    agent: Agent,
    state: Shared,
    since: str | None = None,
    min_comparisons: Annotated[int, ClampedInt(1, FURTHEST)] = 3,
) -> list[wire.EntityHealth]:
    """Return the results of learned ranking in the sessions about each entity, best first."""
    return await look(
        state,
        agent,
        stats.health,
        since=filters.instant("since", since),
        least=min_comparisons,
        otherwise=[],
    )


@serves(wire.ENTITY)
async def get_entity(entity_id: str, agent: Agent, state: Shared) -> wire.WholeEntity:
    """Return one entity with its counts."""
    found = await look(state, agent, browse.detail, entity_id, otherwise=None)
    if found is None:
        raise UnknownEntity(entityId=entity_id)
    return found


@serves(wire.ASPECTS)
async def get_aspects(entity_id: str, agent: Agent, state: Shared) -> wire.Aspects:
    """Return an entity's aspects, by weight."""
    return {"items": await look(state, agent, browse.aspects, entity_id, otherwise=[])}


@serves(wire.ATTRIBUTES)
async def get_attributes(
    entity_id: str,
    aspect_id: str,
    agent: Agent,
    state: Shared,
    kind: Text = None,
    status: Text = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> wire.AttributePage:
    """Return a page of an entity's attributes under one aspect; active ones unless another status is requested."""
    status = _one_of("status", status, (*STATUSES, "all")) or "active"
    items: list[wire.Attribute] = await look(
        state,
        agent,
        browse.attributes,
        id=entity_id,
        aspect=aspect_id,
        kind=_one_of("kind", kind, KINDS),
        status=None if status == "all" else status,
        limit=limit,
        offset=offset,
        otherwise=[],
    )
    return {"items": items, "limit": limit, "offset": offset}


@serves(wire.DEPENDENCIES)
async def get_dependencies(
    entity_id: str, agent: Agent, state: Shared, direction: Text = None
) -> wire.Dependencies:
    """Return the edges of an entity, the strongest first."""
    direction = _one_of("direction", direction, ("incoming", "outgoing", "both")) or "both"
    found: list[wire.Dependency] = await look(
        state, agent, browse.dependencies, entity_id, direction, otherwise=[]
    )
    return {"items": found}


@serves(wire.PIN_ENTITY)
async def post_pin(
    entity_id: str,
    request: Request,
    state: Shared,
    body: PinBody | None = None,
    agent_id: Text = None,
) -> wire.Pinned:
    """Pin an entity for graph walks regardless of its mentions, or suppress it."""
    state.check_writable()
    asked = body or PinBody.model_validate({})
    pin = Pin(type=PinType(asked.pin_type), weight=asked.weight_override, reason=asked.reason)
    now = clock.now()
    agent = await agent_of(asked.agent_id or agent_id, None, request)
    weight = await state.db.awrite(_pin, entity_id, pin, agent, now=now)
    pinned: wire.Pinned = {"pinned": pin.type is PinType.PIN}
    if pinned["pinned"]:
        pinned["pinnedAt"] = clock.to_text(now)
    else:
        pinned["suppressed"] = True
    return {**pinned, "pinType": pin.type, "weightOverride": weight}


@serves(wire.UNPIN_ENTITY)
async def delete_pin(entity_id: str, agent: Agent, state: Shared) -> wire.Pinned:
    """Remove a pin or a suppression."""
    state.check_writable()
    await state.db.awrite(pins.clear, entity_id, agent_id=agent)
    return {"pinned": False}


@serves(wire.COMMUNITIES)
async def get_communities(agent: Agent, state: Shared) -> wire.Communities:
    """Return the latest communities, the largest first; `routes/repair.py` recomputes them."""
    return await look(state, agent, communities.overview, otherwise=communities.NOTHING)


async def look(
    state: State,
    agent_id: str,
    find: Callable[..., T],
    *args: object,
    otherwise: U,
    **fields: object,
) -> T | U:
    """Return the result of `find` for an agent's graph, or `otherwise` if the tables are missing.

    It is called with `reader=` in a read transaction.
    """

    def found(tx: ReadTx) -> T | U:
        reader = agents.reader(tx, agent_id)
        return tolerate_missing_tables(tx, otherwise, find, *args, reader=reader, **fields)

    return await state.db.aread(found)


def _pin(tx: WriteTx, entity_id: str, pin: Pin, agent_id: str, *, now: datetime) -> float:
    return pins.put(tx, entity_id, pin, reader=agents.reader(tx, agent_id), now=now)


def _one_of(name: str, text: str | None, known: tuple[str, ...]) -> str | None:
    """Return a word, None if empty; raises Invalid for an unknown one."""
    if text and text not in known:
        raise Invalid(f"{name} must be {', '.join(known[:-1])} or {known[-1]}")
    return text or None
