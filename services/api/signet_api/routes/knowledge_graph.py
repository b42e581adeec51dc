"""The graph as a whole: its picture, its counts, its doubts, and what hangs on one entity."""

import asyncio
from collections.abc import Iterator, Mapping
from datetime import datetime

from fastapi import APIRouter, Request, Response

from signet import clock
from signet.domain.graph import browse, expand, hygiene, impact, latest_traversal, stats
from signet.domain.graph.browse import Constellation, Extent
from signet.domain.graph.expand import Expanded, Question
from signet.domain.graph.hygiene import Report
from signet.domain.graph.impact import Impact
from signet.domain.graph.missing_tables import tolerate_missing_tables
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.weights import WeightBounds
from signet.errors import Invalid
from signet.wire.requests.knowledge import ExpandBody, ExpandSessionBody, ImpactBody
from signet_api import rows
from signet_api.bodies import JsonRoute
from signet_api.deps import Shared
from signet_api.params import whole
from signet_api.routes.knowledge import agent, as_wire, look

router = APIRouter(tags=["knowledge"], route_class=JsonRoute)

#: How long a walk along edges may take.
IMPACT_MS = 200
LEAST_TOKENS, MOST_TOKENS = 100, 10_000
MOST_SESSIONS = 50
MOST_DEPTH = 10


@router.get("/api/knowledge/stats")
async def get_stats(request: Request, state: Shared) -> Mapping[str, int | float]:
    """Return how much an agent's graph knows."""
    bounds = WeightBounds.of(state.settings.pipeline.feedback)
    return await state.db.aread(
        tolerate_missing_tables,
        stats.NOTHING,
        stats.counts,
        agent_id=await agent(request),
        bounds=bounds,
        now=clock.now(),
    )


@router.get("/api/knowledge/traversal/status")
async def get_traversal_status(request: Request, state: Shared) -> dict[str, object]:
    """Return what the newest walk through the graph has met, null before the first."""
    found = await look(state, await agent(request), latest_traversal.newest, otherwise=None)
    return {"status": found}


@router.get("/api/knowledge/constellation")
async def get_constellation(request: Request, state: Shared) -> Response:
    """Return the most important entities with what is known of them, and the edges between them."""
    params = request.query_params
    extent = Extent(
        entities=whole(params.get("limit"), 150, low=1, high=1_000),
        aspects_per_entity=whole(params.get("max_aspects_per_entity"), 6, low=1, high=25),
        attributes_per_aspect=whole(params.get("max_attributes_per_aspect"), 4, low=1, high=250),
        dependencies=whole(params.get("dependency_limit"), 500, low=1, high=2_000),
    )
    found = await look(state, await agent(request), browse.draw, extent, otherwise=Constellation())
    edges = [as_wire(row) for row in found.dependencies]
    drawn = _drawn(found)
    return await asyncio.to_thread(rows.answer, {"dependencies": edges}, "entities", drawn)


@router.get("/api/knowledge/hygiene")
async def get_hygiene(request: Request, state: Shared) -> dict[str, object]:
    """Return what is doubtful in the graph; changes nothing."""
    params = request.query_params
    found = await look(
        state,
        await agent(request),
        hygiene.report,
        limit=whole(params.get("limit"), 50, low=1, high=200),
        memories=whole(params.get("memory_limit"), 200, low=1, high=1_000),
        otherwise=Report(),
    )
    return _report(found)


@router.post("/api/knowledge/expand")
async def post_expand(
    request: Request, state: Shared, body: ExpandBody | None = None
) -> dict[str, object]:
    """Return everything that is known of an entity, within a budget of tokens."""
    asked = body or ExpandBody.model_validate({})
    name = asked.entity.strip()
    if not name:
        raise Invalid("entity name is required")
    text = asked.question.strip()
    question = Question(text=text, vector=await state.vectors.of(text)) if text else Question()
    async with state.recalls:
        found = await look(
            state,
            await agent(request, asked.agent_id),
            expand.expand,
            name,
            aspect=asked.aspect,
            question=question,
            tokens=min(MOST_TOKENS, max(LEAST_TOKENS, asked.max_tokens)),
            otherwise=None,
        )
    if found is None:
        raise expand.nothing(name)
    return _expanded(found)


@router.post("/api/knowledge/expand/session")
async def post_expand_session(
    body: ExpandSessionBody, request: Request, state: Shared
) -> dict[str, object]:
    """Return summaries of the sessions that speak of an entity, newest first."""
    name = body.entity_name.strip()
    if not name:
        raise Invalid("entityName is required")
    entity_name, found, total = await look(
        state,
        await agent(request, body.agent_id),
        expand.sessions,
        name,
        session=body.session_id,
        since=_beginning(body.time_range, clock.now()),
        limit=min(MOST_SESSIONS, max(1, body.max_results)),
        otherwise=(name, (), 0),
    )
    summaries = [as_wire(row, without=("total",)) for row in found]
    return {"entityName": entity_name, "summaries": summaries, "total": total}


@router.post("/api/graph/impact")
async def post_impact(body: ImpactBody, request: Request, state: Shared) -> dict[str, object]:
    """Return which entities a change of one hits, nearest first."""
    if not body.entity_id:
        raise Invalid("entityId is required")
    if body.direction not in ("downstream", "upstream"):
        raise Invalid("direction must be downstream or upstream")
    ends_at = clock.monotonic_ms() + IMPACT_MS
    found = await look(
        state,
        await agent(request, body.agent_id),
        impact.of,
        body.entity_id,
        upstream=body.direction == "upstream",
        depth=min(MOST_DEPTH, max(1, body.max_depth)),
        expired=lambda: clock.monotonic_ms() >= ends_at,
        otherwise=None,
    )
    if found is None:
        raise UnknownEntity(entityId=body.entity_id)
    return _impact(found, body.direction)


def _beginning(named: str | None, now: datetime) -> str:
    try:
        return expand.beginning(named, now)
    except ValueError as error:
        raise Invalid("timeRange must be last_week, last_month or an ISO timestamp") from error


def _drawn(found: Constellation) -> Iterator[dict[str, object]]:
    for row in found.entities:
        aspects = [
            {
                **as_wire(aspect, without=("entity_id",)),
                "attributes": [
                    as_wire(said, without=("aspect_id",))
                    for said in found.attributes.get(aspect.id, ())
                ],
            }
            for aspect in found.aspects.get(row.id, ())
        ]
        yield as_wire(row) | {"pinned": bool(row.pinned), "aspects": aspects}


def _expanded(found: Expanded) -> dict[str, object]:
    entity = found.entity
    return {
        "entity": as_wire(entity),
        "constraints": [
            {"entityName": entity.name, "content": one.content, "importance": one.importance}
            for one in found.constraints
        ],
        "aspects": [
            {
                "name": view.name,
                "weight": view.weight,
                "attributes": [
                    {
                        "content": one.content,
                        "kind": one.kind,
                        "importance": one.importance,
                        "confidence": one.confidence,
                    }
                    for one in view.attributes
                ],
            }
            for view in found.aspects
        ],
        "dependencies": [as_wire(one) for one in found.dependencies],
        "memoryCount": found.memory_count,
        "memories": [as_wire(one) for one in found.memories],
    }


def _impact(found: Impact, direction: str) -> dict[str, object]:
    return {
        "entityId": found.entity_id,
        "entityName": found.name,
        "direction": direction,
        "impact": [
            {
                "depth": ring.depth,
                "label": ring.label,
                "entities": [as_wire(one) for one in ring.entities],
            }
            for ring in found.rings
        ],
        **({"timedOut": True} if found.timed_out else {}),
    }


def _report(found: Report) -> dict[str, object]:
    return {
        "suspiciousEntities": [
            {"id": one.id, "name": one.name, "reason": one.reason} for one in found.suspicious
        ],
        "duplicateEntities": [
            {"canonicalName": one.canonical, "ids": one.ids} for one in found.duplicates
        ],
        "attributeSummary": {
            "missingSourceMemory": found.missing_source,
            "missingAspect": found.missing_aspect,
        },
        "safeMentionCandidates": [
            {"memoryId": one.memory_id, "entityId": one.entity_id, "name": one.name}
            for one in found.candidates
        ],
    }
