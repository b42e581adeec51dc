"""The knowledge graph: entities, attributes, pins, communities, the whole picture, and the impact of a change."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Annotated, TypeVar

from fastapi import Query, Response

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.agents import registry as agents
from signet.domain.graph import browse, communities, expand, traversal
from signet.domain.graph.browse import Extent, Pin, PinType, tolerate_missing_tables
from signet.domain.graph.expand import Question
from signet.domain.graph.feedback import WeightBounds
from signet.domain.graph.models import UnknownEntity
from signet.domain.memory import filters
from signet.domain.transcripts import withheld
from signet.errors import Invalid
from signet.wire import knowledge as wire
from signet.wire.requests.browse import GraphParams
from signet.wire.requests.knowledge import ExpandBody, ExpandSessionBody, ImpactBody, PinBody
from signet.wire.requests.model import ClampedInt, Text
from signet_api import serving
from signet_api.deps import Agent, Ask, Shared, State
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
    return await look(state, agent, browse.pinned, PinType(type), otherwise=[])


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
        browse.entity_health,
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
    entity_id: str, ask: Ask, body: PinBody | None = None, agent_id: Text = None
) -> wire.Pinned:
    """Pin an entity for graph walks regardless of its mentions, or suppress it."""
    ask.state.check_writable()
    asked = body or PinBody.model_validate({})
    pin = Pin(type=PinType(asked.pin_type), weight=asked.weight_override, reason=asked.reason)
    now = clock.now()
    agent = await ask.agent(asked, agent_id)
    weight = await ask.state.db.awrite(_pin, entity_id, pin, agent, now=now)
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
    await state.db.awrite(browse.clear_pin, entity_id, agent_id=agent)
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
    return browse.put_pin(tx, entity_id, pin, reader=agents.reader(tx, agent_id), now=now)


def _one_of(name: str, text: str | None, known: tuple[str, ...]) -> str | None:
    """Return a word, None if empty; raises Invalid for an unknown one."""
    if text and text not in known:
        raise Invalid(f"{name} must be {', '.join(known[:-1])} or {known[-1]}")
    return text or None


#: Time limit of a graph walk.
IMPACT_MS = 200
LEAST_TOKENS, MOST_TOKENS = 100, 10_000
MOST_SESSIONS = 50
MOST_DEPTH = 10


@serves(wire.KNOWLEDGE_STATS)
async def get_stats(agent: Agent, state: Shared) -> wire.KnowledgeStats:
    """Return the counts of an agent's graph."""
    bounds = WeightBounds.of(state.settings.pipeline.feedback)
    return await state.db.aread(
        tolerate_missing_tables,
        browse.NO_STATS,
        browse.graph_counts,
        agent_id=agent,
        bounds=bounds,
        now=clock.now(),
    )


@serves(wire.TRAVERSAL_STATUS)
async def get_traversal_status(agent: Agent, state: Shared) -> wire.TraversalStatus:
    """Return statistics of the latest graph walk, null before the first."""
    found = await look(state, agent, traversal.newest, otherwise=None)
    return {"status": found}


@serves(wire.CONSTELLATION)
async def get_constellation(
    agent: Agent,
    state: Shared,
    limit: Annotated[int, ClampedInt(1, 1_000)] = 150,
    max_aspects_per_entity: Annotated[int, ClampedInt(1, 25)] = 6,
    max_attributes_per_aspect: Annotated[int, ClampedInt(1, 250)] = 4,
    dependency_limit: Annotated[int, ClampedInt(1, 2_000)] = 500,
) -> Response:
    """Return the most important entities with their attributes and dependencies."""
    extent = Extent(
        entities=limit,
        aspects_per_entity=max_aspects_per_entity,
        attributes_per_aspect=max_attributes_per_aspect,
        dependencies=dependency_limit,
    )
    nothing: wire.Constellation = {"dependencies": [], "entities": []}
    found = await look(state, agent, browse.draw, extent, otherwise=nothing)
    edges = {"dependencies": found["dependencies"]}
    return await asyncio.to_thread(serving.respond_rows, edges, "entities", found["entities"])


@serves(wire.GRAPH)
async def get_graph(
    agent: Agent, state: Shared, query: Annotated[GraphParams, Query()]
) -> wire.GraphColumns:
    """Return the most mentioned entities and their edges as columns, for a map.

    `min_mentions` and `kinds` filter them; chunk groups are excluded.
    """
    nothing: wire.GraphColumns = {
        "ids": [], "names": [], "kinds": [], "mentions": [], "communities": [], "pinned": [],
        "kindNames": [], "communityNames": [], "sources": [], "targets": [], "total": 0,
    }  # fmt: skip
    return await look(
        state,
        agent,
        browse.columns,
        limit=query.limit,
        least=query.min_mentions,
        kinds=query.kinds,
        otherwise=nothing,
    )


@serves(wire.HYGIENE)
async def get_hygiene(
    agent: Agent,
    state: Shared,
    limit: Annotated[int, ClampedInt(1, 200)] = 50,
    memory_limit: Annotated[int, ClampedInt(1, 1_000)] = 200,
) -> wire.Hygiene:
    """Return doubtful rows of the graph; changes nothing."""
    return await look(
        state,
        agent,
        expand.hygiene,
        limit=limit,
        memories=memory_limit,
        otherwise=expand.NO_HYGIENE,
    )


@serves(wire.EXPAND)
async def post_expand(
    ask: Ask, body: ExpandBody | None = None, agent_id: Text = None
) -> wire.Expanded:
    """Return an entity's attributes by its name, best for the question first, within a token budget."""
    asked = body or ExpandBody.model_validate({})
    name = asked.entity.strip()
    if not name:
        raise Invalid("entity name is required")
    text = asked.question.strip()
    question = Question()
    if text:
        question = Question(text=text, vector=partial(await ask.state.vectors.of(text), {}))
    async with ask.state.recalls:
        found = await look(
            ask.state,
            await ask.agent(asked, agent_id),
            expand.expand,
            name,
            aspect=asked.aspect,
            question=question,
            tokens=min(MOST_TOKENS, max(LEAST_TOKENS, asked.max_tokens)),
            otherwise=None,
        )
    if found is None:
        raise expand.nothing(name)
    return found


@serves(wire.EXPAND_SESSIONS)
async def post_expand_session(
    body: ExpandSessionBody, ask: Ask, agent_id: Text = None
) -> wire.EntitySessions:
    """Return summaries of the sessions that mention an entity, newest first."""
    name = body.entity_name.strip()
    if not name:
        raise Invalid("entityName is required")
    nothing: wire.EntitySessions = {"entityName": name, "summaries": [], "total": 0}
    return await look(
        ask.state,
        await ask.agent(body, agent_id),
        _sessions,
        name,
        session=body.session_id,
        since=_beginning(body.time_range, clock.now()),
        limit=min(MOST_SESSIONS, max(1, body.max_results)),
        otherwise=nothing,
    )


def _sessions(
    tx: ReadTx, name: str, *, reader: Reader, session: str | None, since: str, limit: int
) -> wire.EntitySessions:
    found = expand.sessions(tx, name, reader=reader, session=session, since=since, limit=limit)
    for one in found["summaries"]:
        one["content"] = withheld.cleaned(tx, reader.agent_id, one["content"])
    return found


@serves(wire.IMPACT)
async def post_impact(body: ImpactBody, ask: Ask, agent_id: Text = None) -> wire.Impact:
    """Return the entities affected by a change of one, nearest first: its dependents, or with `upstream` its
    dependencies.
    """
    if not body.entity_id:
        raise Invalid("entityId is required")
    if body.direction not in ("downstream", "upstream"):
        raise Invalid("direction must be downstream or upstream")
    ends_at = clock.monotonic_ms() + IMPACT_MS
    found = await look(
        ask.state,
        await ask.agent(body, agent_id),
        expand.impact,
        body.entity_id,
        direction=body.direction,
        depth=min(MOST_DEPTH, max(1, body.max_depth)),
        expired=lambda: clock.monotonic_ms() >= ends_at,
        otherwise=None,
    )
    if found is None:
        raise UnknownEntity(entityId=body.entity_id)
    return found


def _beginning(named: str | None, now: datetime) -> str:
    try:
        return expand.beginning(named, now)
    except ValueError as error:
        raise Invalid("timeRange must be last_week, last_month or an ISO timestamp") from error
