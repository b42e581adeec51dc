"""The map of memories: points near each other mean something alike."""

import asyncio
from typing import Annotated

from fastapi import Query, Response
from fastapi.responses import JSONResponse

from signet import clock
from signet.db import Row
from signet.domain.memory import filters
from signet.domain.memory.models import tags_of
from signet.domain.projection import project
from signet.domain.projection.models import View
from signet.domain.projection.project import Looked
from signet.errors import Invalid
from signet.wire import embeddings as wire
from signet.wire.embeddings import Projection
from signet.wire.requests.browse import MapParams
from signet_api import rows
from signet_api.deps import Shared
from signet_api.params import Agent
from signet_api.serving import respond, serves


@serves(wire.PROJECTION)
async def get_projection(
    agent_id: Agent, state: Shared, query: Annotated[MapParams, Query()]
) -> Response:
    """Return a map of memories in two or three dimensions; 202 while the worker draws it."""
    view = _view(query, agent_id)
    looked = await state.db.aread(project.look, view, now=clock.now())
    if looked.failure is not None:
        return JSONResponse(
            {
                "status": "error",
                "message": "The map could not be drawn; it is tried again in a while",
                "error": looked.failure.error or "unknown",
                "code": "projection_failed",
            },
            503,
            {"retry-after": str(int(project.FAILURE_SHOWN.total_seconds()))},
        )
    if looked.drawn is None and looked.vectors is None:
        if not looked.is_open:
            await state.db.awrite(project.begin, view, now=clock.now())
        return respond(_computing(view, looked), wire.PROJECTION, 202)
    return await asyncio.to_thread(_ready, view, looked)


def _view(asked: MapParams, agent_id: str) -> View:
    if asked.dimensions not in ("2", "3"):
        raise Invalid("dimensions must be 2 or 3")
    low, high = asked.importance_min, asked.importance_max
    if low is not None and high is not None and low > high:
        low, high = high, low
    return View(
        agent_id=agent_id,
        dimensions=int(asked.dimensions),
        limit=asked.limit or None,
        offset=asked.offset,
        q=asked.q.strip(),
        who=tuple(dict.fromkeys((*asked.who, *asked.harness))),
        types=asked.types,
        source_types=asked.source_types,
        tags=asked.tags,
        pinned=asked.pinned,
        since=filters.instant("since", asked.since),
        until=filters.instant("until", asked.until, last=True),
        importance_min=low,
        importance_max=high,
    )


def _computing(view: View, looked: Looked) -> Projection:
    return {
        "status": "computing",
        "dimensions": view.dimensions,
        "count": 0,
        "total": looked.extent.total,
    }


def _ready(view: View, looked: Looked) -> Response:
    drawn = project.drawn(view, looked)
    # A memory that was hidden from this reader a moment ago leaves the map with its lines.
    shown = [place for place, id_ in enumerate(drawn.ids) if id_ in looked.rows]
    position = {place: number for number, place in enumerate(shown)}
    nodes = (_node(looked.rows[drawn.ids[place]], drawn.places[place]) for place in shown)
    edges = [
        [position[one], position[other]]
        for one, other in drawn.edges
        if one in position and other in position
    ]
    total = looked.extent.total
    is_page = view.limit is not None or view.offset > 0
    sampled = {"sampled": True} if not is_page and total > len(drawn.ids) else {}
    fields = {
        "status": "ready",
        "dimensions": view.dimensions,
        "count": len(shown),
        "total": total,
        "limit": view.size,
        "offset": view.offset,
        "hasMore": is_page and view.offset + len(drawn.ids) < total,
        **sampled,
        "edges": edges,
        "cachedAt": drawn.cached_at or clock.to_text(clock.now()),
    }
    return rows.answer(fields, "nodes", nodes)


def _node(row: Row, place: tuple[float, ...]) -> dict[str, object]:
    return {
        "id": row["id"],
        **dict(zip("xyz", place, strict=False)),
        "content": row["content"],
        "who": row["who"] or "unknown",
        "importance": 0.5 if row["importance"] is None else row["importance"],
        "type": row["type"],
        "tags": list(tags_of(row["tags"])),
        "pinned": bool(row["pinned"]),
        "sourceType": row["source_type"] or "memory",
        "sourceId": row["source_id"] or row["id"],
        "createdAt": row["created_at"],
    }
