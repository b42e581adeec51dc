"""The knowledge graph: entities, attributes, pins, communities, the whole picture, and the impact of a change."""

import asyncio
from datetime import datetime
from functools import partial
from typing import Annotated

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
from signet.domain.transcripts import stored, withheld
from signet.errors import Invalid
from signet.wire import knowledge as wire
from signet.wire.requests.browse import GraphParams
from signet.wire.requests.knowledge import ExpandBody, ExpandSessionBody, ImpactBody, PinBody
from signet.wire.requests.model import ClampedInt, Text
from signet_api import serving
from signet_api.deps import Ask, Mine, OwnReader, bound
from signet_api.serving import serves

KINDS = ("attribute", "constraint")
STATUSES = ("active", "superseded", "deleted")
#: Maximum offset.
FURTHEST = 1_000_000
#: Files on a map.
MOST_FILES = 200
Limit = Annotated[int, ClampedInt(1, 200)]
Offset = Annotated[int, ClampedInt(0, FURTHEST)]


@serves(wire.ENTITIES)
async def get_entities(
    mine: Mine, type: Text = None, q: Text = None, limit: Limit = 50, offset: Offset = 0
) -> wire.EntityPage:
    """Return a page of entities with their counts, the most important first; `q` is part of the name."""
    items, total = await mine.graph(
        ([], 0), browse.entities, type=type, q=q, limit=limit, offset=offset
    )
    return {"items": items, "limit": limit, "offset": offset, "total": total}


@serves(wire.PINNED_ENTITIES)
async def get_pinned(mine: Mine, pin_type: Text = None) -> list[wire.PinnedEntity]:
    """Return the pinned entities, newest first; with `pin_type=suppress` the suppressed ones."""
    type = _one_of("pin_type", pin_type, tuple(PinType)) or PinType.PIN
    return await mine.graph([], browse.pinned, PinType(type))


@serves(wire.ENTITY_HEALTH)
async def get_entity_health(
    mine: Mine,
    since: str | None = None,
    min_comparisons: Annotated[int, ClampedInt(1, FURTHEST)] = 3,
) -> list[wire.EntityHealth]:
    """Return the results of learned ranking in the sessions about each entity, best first."""
    return await mine.graph(
        [], browse.entity_health, since=filters.instant("since", since), least=min_comparisons
    )


@serves(wire.ENTITY)
async def get_entity(entity_id: str, mine: Mine) -> wire.WholeEntity:
    """Return one entity with its counts."""
    found = await mine.graph(None, browse.detail, entity_id)
    if found is None:
        raise UnknownEntity(entityId=entity_id)
    return found


@serves(wire.ASPECTS)
async def get_aspects(entity_id: str, mine: Mine) -> wire.Aspects:
    """Return an entity's aspects, by weight."""
    return {"items": await mine.graph([], browse.aspects, entity_id)}


@serves(wire.ATTRIBUTES)
async def get_attributes(
    entity_id: str,
    aspect_id: str,
    mine: Mine,
    kind: Text = None,
    status: Text = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> wire.AttributePage:
    """Return a page of an entity's attributes under one aspect; active ones unless another status is requested."""
    status = _one_of("status", status, (*STATUSES, "all")) or "active"
    items: list[wire.Attribute] = await mine.graph(
        [],
        browse.attributes,
        id=entity_id,
        aspect=aspect_id,
        kind=_one_of("kind", kind, KINDS),
        status=None if status == "all" else status,
        limit=limit,
        offset=offset,
    )
    return {"items": items, "limit": limit, "offset": offset}


@serves(wire.DEPENDENCIES)
async def get_dependencies(entity_id: str, mine: Mine, direction: Text = None) -> wire.Dependencies:
    """Return the edges of an entity, the strongest first."""
    direction = _one_of("direction", direction, ("incoming", "outgoing", "both")) or "both"
    found: list[wire.EntityDependency] = await mine.graph(
        [], browse.dependencies, entity_id, direction
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
async def delete_pin(entity_id: str, mine: Mine) -> wire.Pinned:
    """Remove a pin or a suppression."""
    mine.state.check_writable()
    await mine.state.db.awrite(browse.clear_pin, entity_id, agent_id=mine.agent)
    return {"pinned": False}


@serves(wire.COMMUNITIES)
async def get_communities(mine: Mine) -> wire.Communities:
    """Return the latest communities, the largest first. `POST /api/repair/cluster-entities` recomputes them."""
    return await mine.graph(communities.NOTHING, communities.overview)


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
async def get_stats(mine: Mine) -> wire.KnowledgeStats:
    """Return the counts of an agent's graph."""
    bounds = WeightBounds.from_settings(mine.state.settings.pipeline.feedback)
    return await mine.rows(
        tolerate_missing_tables,
        browse.NO_STATS,
        browse.graph_counts,
        bounds=bounds,
        now=clock.now(),
    )


@serves(wire.TRAVERSAL_STATUS)
async def get_traversal_status(mine: Mine) -> wire.TraversalStatus:
    """Return statistics of the latest graph walk, null before the first."""
    found = await mine.graph(None, traversal.newest)
    return {"status": found}


@serves(wire.CONSTELLATION)
async def get_constellation(
    mine: Mine,
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
    found = await mine.graph(nothing, browse.draw, extent)
    edges = {"dependencies": found["dependencies"]}
    return await asyncio.to_thread(serving.respond_rows, edges, "entities", found["entities"])


@serves(wire.GRAPH)
async def get_graph(mine: Mine, query: Annotated[GraphParams, Query()]) -> wire.GraphColumns:
    """Return the most mentioned entities, projects and files, and their edges, as columns, for a map.

    `min_mentions`, `kinds` and `project` filter them; chunk groups are excluded. Files are those that as many
    sessions changed.
    """
    project, least = bound(query.project), query.min_mentions
    files = await mine.rows(stored.files, project=project, least=least, most=MOST_FILES)
    nothing: wire.GraphColumns = {
        "ids": [], "names": [], "kinds": [], "mentions": [], "communities": [], "pinned": [],
        "kindNames": [], "communityNames": [], "sources": [], "targets": [], "total": 0,
    }  # fmt: skip
    return await mine.graph(
        nothing,
        browse.columns,
        limit=query.limit,
        least=query.min_mentions,
        kinds=query.kinds,
        project=project,
        files=files,
    )


@serves(wire.HYGIENE)
async def get_hygiene(
    mine: Mine,
    limit: Annotated[int, ClampedInt(1, 200)] = 50,
    memory_limit: Annotated[int, ClampedInt(1, 1_000)] = 200,
) -> wire.Hygiene:
    """Return doubtful rows of the graph; changes nothing."""
    return await mine.graph(expand.NO_HYGIENE, expand.hygiene, limit=limit, memories=memory_limit)


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
        question = Question(text=text, vector=partial(await ask.state.vectors.for_text(text), {}))
    mine = OwnReader(ask.state, await ask.agent(asked, agent_id))
    async with ask.state.recalls:
        found = await mine.graph(
            None,
            expand.expand,
            name,
            aspect=asked.aspect,
            question=question,
            tokens=min(MOST_TOKENS, max(LEAST_TOKENS, asked.max_tokens)),
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
    mine = OwnReader(ask.state, await ask.agent(body, agent_id))
    nothing: wire.EntitySessions = {"entityName": name, "summaries": [], "total": 0}
    return await mine.graph(
        nothing,
        _sessions,
        name,
        session=body.session_id,
        since=_beginning(body.time_range, clock.now()),
        limit=min(MOST_SESSIONS, max(1, body.max_results)),
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
    mine = OwnReader(ask.state, await ask.agent(body, agent_id))
    ends_at = clock.monotonic_ms() + IMPACT_MS
    found = await mine.graph(
        None,
        expand.impact,
        body.entity_id,
        direction=body.direction,
        depth=min(MOST_DEPTH, max(1, body.max_depth)),
        expired=lambda: clock.monotonic_ms() >= ends_at,
    )
    if found is None:
        raise UnknownEntity(entityId=body.entity_id)
    return found


def _beginning(named: str | None, now: datetime) -> str:
    try:
        return expand.beginning(named, now)
    except ValueError as error:
        raise Invalid("timeRange must be last_week, last_month or an ISO timestamp") from error
