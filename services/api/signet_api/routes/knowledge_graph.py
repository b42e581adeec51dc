"""The graph as a whole: picture, counts, doubtful rows, and the impact of a change."""

import asyncio
from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Query, Request, Response

from signet import clock
from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.graph import browse, expand, impact, stats, traversal
from signet.domain.graph.browse import Extent
from signet.domain.graph.expand import Question
from signet.domain.graph.missing_tables import tolerate_missing_tables
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.weights import WeightBounds
from signet.domain.transcripts import withheld
from signet.errors import Invalid
from signet.wire import knowledge as wire
from signet.wire.requests.browse import GraphParams
from signet.wire.requests.knowledge import ExpandBody, ExpandSessionBody, ImpactBody
from signet.wire.requests.model import ClampedInt, Text
from signet_api import rows
from signet_api.deps import Shared, agent_of
from signet_api.params import Agent
from signet_api.routes.knowledge import look
from signet_api.serving import serves

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
        stats.NOTHING,
        stats.counts,
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
    return await asyncio.to_thread(rows.answer, edges, "entities", found["entities"])


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
        impact.report,
        limit=limit,
        memories=memory_limit,
        otherwise=impact.NOTHING,
    )


@serves(wire.EXPAND)
async def post_expand(
    request: Request, state: Shared, body: ExpandBody | None = None, agent_id: Text = None
) -> wire.Expanded:
    """Return an entity's attributes by its name, best for the question first, within a token budget."""
    asked = body or ExpandBody.model_validate({})
    name = asked.entity.strip()
    if not name:
        raise Invalid("entity name is required")
    text = asked.question.strip()
    question = Question()
    if text:
        question = Question(text=text, vector=partial(await state.vectors.of(text), {}))
    async with state.recalls:
        found = await look(
            state,
            await agent_of(asked.agent_id or agent_id, None, request),
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
    body: ExpandSessionBody, request: Request, state: Shared, agent_id: Text = None
) -> wire.EntitySessions:
    """Return summaries of the sessions that mention an entity, newest first."""
    name = body.entity_name.strip()
    if not name:
        raise Invalid("entityName is required")
    nothing: wire.EntitySessions = {"entityName": name, "summaries": [], "total": 0}
    return await look(
        state,
        await agent_of(body.agent_id or agent_id, None, request),
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
async def post_impact(
    body: ImpactBody, request: Request, state: Shared, agent_id: Text = None
) -> wire.Impact:
    """Return the entities affected by a change of one, nearest first: its dependents, or with `upstream` its
    dependencies.
    """
    if not body.entity_id:
        raise Invalid("entityId is required")
    if body.direction not in ("downstream", "upstream"):
        raise Invalid("direction must be downstream or upstream")
    ends_at = clock.monotonic_ms() + IMPACT_MS
    found = await look(
        state,
        await agent_of(body.agent_id or agent_id, None, request),
        impact.of,
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
