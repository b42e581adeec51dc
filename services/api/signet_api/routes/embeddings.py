"""Vectors of memories: export, provider, health, and map."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query, Response
from fastapi.responses import JSONResponse

from signet import clock
from signet.config.sections import EmbeddingProvider
from signet.db import ReadTx, Row, vectors
from signet.domain.browse import browse
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.models import Survey
from signet.domain.memory import filters
from signet.domain.memory.models import tags_of
from signet.domain.projection import project
from signet.domain.projection.models import MapView
from signet.domain.projection.project import Looked
from signet.errors import Invalid
from signet.net import http
from signet.providers import registry
from signet.queue import circuit_breaker
from signet.queue.kinds import queue_of
from signet.text import words
from signet.wire import embeddings as wire
from signet.wire.requests.browse import MapParams
from signet.wire.requests.model import ClampedInt, Flag, Text
from signet_api import processes, serving
from signet_api.deps import Agent, Mine, Shared, State
from signet_api.probe import Probed
from signet_api.serving import respond, serves
from signet_api.shapes import as_wire, filled

#: Map coordinates are rounded to tenths.
TENTHS = 10


@serves(wire.EMBEDDINGS)
async def get_embeddings(
    mine: Mine,
    limit: Annotated[int, ClampedInt(browse.LEAST_EXPORTED, browse.MOST_EXPORTED)] = browse.USUAL,
    offset: Annotated[int, ClampedInt(0, browse.FURTHEST)] = 0,
    vectors: Flag = False,
) -> Response:
    """Return a page of memories with a vector, newest first; `vectors` adds the numbers."""
    page = await mine.read(browse.export_page, limit=limit, offset=offset, vectors=vectors)
    fields = {
        "count": len(page.rows),
        "total": page.total,
        "limit": limit,
        "offset": offset,
        "hasMore": offset + len(page.rows) < page.total,
    }
    exported = map(_exported, page.rows)
    return await asyncio.to_thread(serving.respond_rows, fields, "embeddings", exported)


@serves(wire.EMBEDDINGS_STATUS)
async def get_embedding_status(state: Shared) -> wire.EmbeddingsStatus:
    """Return whether the provider answers, and the tracker's progress."""
    embedding = state.settings.embedding
    probed = await _probed(state)
    tracker, waiting_until = await state.db.aread(_tracker, state)
    return as_wire(
        wire.EmbeddingsStatus,
        embedding,
        available=probed.fault is None,
        base_url=_base_url(state),
        error=probed.fault,
        checkedAt=clock.to_text(probed.at),
        tracker=tracker,
        waitingUntil=waiting_until,
    )


@serves(wire.EMBEDDINGS_HEALTH)
async def get_embedding_health(state: Shared, agent_id: Text = None) -> wire.EmbeddingsHealth:
    """Return seven checks of provider and vectors, and one score, over all agents."""
    embedding = state.settings.embedding
    probed = await _probed(state)
    survey: Survey = await state.db.aread(
        embeddings.survey, model=state.vectors.model, dimensions=embedding.dimensions
    )
    found = embeddings.checks(
        survey, fault=probed.fault, model=embedding.model, dimensions=embedding.dimensions
    )
    score = embeddings.health_score(found)
    return {
        "status": embeddings.health_status(score),
        "score": score,
        "checkedAt": clock.to_text(clock.now()),
        "config": {
            "provider": embedding.provider,
            "model": embedding.model,
            "dimensions": embedding.dimensions,
        },
        "checks": [as_wire(wire.Check, check, status=check.grade) for check in found],
    }


async def _probed(state: State) -> Probed:
    """Return the provider's last state; it is not contacted while its queue waits for it."""
    retry_at = await state.db.aread(circuit_breaker.breaker_retry_at, queue_of("embed"))
    now = clock.now()
    if retry_at is not None and retry_at > now.timestamp() * 1000:
        return Probed(fault=f"Not available; asked again at {clock.ms_to_text(retry_at)}", at=now)
    wanted = registry.vector_settings(state.live.keyed, state.live.loaded.environment)
    return await state.probe.current(wanted)


def _tracker(tx: ReadTx, state: State) -> tuple[dict[str, object] | None, str | None]:
    """Return the progress of creating missing vectors, and until when it waits for the provider."""
    settings = state.settings
    retry_at = circuit_breaker.breaker_retry_at(tx, queue_of("embed"))
    waiting = None if retry_at is None else clock.ms_to_text(retry_at)
    if not settings.pipeline.embedding_tracker.enabled:
        return None, waiting
    missing = processes.missing(tx, state.workspace)
    is_on = settings.embedding.provider is not EmbeddingProvider.NONE
    is_running = is_on and not {"worker", "scheduler"} & set(missing)
    return {"running": is_running, **embeddings.tracker(tx)}, waiting


def _base_url(state: State) -> str | None:
    """Return the provider's displayed address; None for one in this process."""
    wanted = registry.vector_settings(state.live.keyed, state.live.loaded.environment)
    known = {**registry.BASE_URLS, registry.OLLAMA: wanted.ollama_url}
    usual = known.get(state.settings.embedding.provider)
    return usual and http.shown(wanted.base_url or usual)


def _exported(row: Mapping[str, Any]) -> wire.Embedding:
    return as_wire(
        wire.Embedding,
        row,
        text=row["content"],
        who=row["who"] or "unknown",
        importance=0.5 if row["importance"] is None else row["importance"],
        tags=list(tags_of(row["tags"])),
        sourceType=row["source_type"] or "memory",
        sourceId=row["source_id"] or row["id"],
        vector=row["vector"] and vectors.unpack(row["vector"]),
    )


@serves(wire.PROJECTION)
async def get_projection(
    agent_id: Agent, state: Shared, query: Annotated[MapParams, Query()]
) -> Response:
    """Return a map of memories in two or three dimensions; 202 with `status` computing while it is drawn.

    `who`, `types` and `tags` are comma-separated.
    """
    view = _view(query, agent_id)
    looked = await state.db.aread(project.lookup, view, now=clock.now())
    if (waiting := await _unless_drawn(state, view, looked)) is not None:
        return waiting
    return await asyncio.to_thread(_ready, view, looked)


@serves(wire.PROJECTION_COLUMNS)
async def get_projection_columns(agent_id: Agent, state: Shared) -> Response:
    """Return the map of all memories as columns, without texts; 202 with `status` computing while it is drawn."""
    view = MapView(agent_id=agent_id)
    looked = await state.db.aread(project.lookup, view, now=clock.now())
    if (waiting := await _unless_drawn(state, view, looked)) is not None:
        return waiting
    return respond(await asyncio.to_thread(_columns, view, looked), wire.PROJECTION_COLUMNS)


async def _unless_drawn(state: State, view: MapView, looked: Looked) -> Response | None:
    """Return the answer while the map is missing, and have it drawn; None if it exists."""
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
    if looked.drawn is not None or looked.vectors is not None:
        return None
    if not looked.is_open:
        await state.db.awrite(project.begin, view, now=clock.now())
    return respond(_computing(view, looked), wire.PROJECTION, 202)


def _view(asked: MapParams, agent_id: str) -> MapView:
    if asked.dimensions not in ("2", "3"):
        raise Invalid("dimensions must be 2 or 3")
    low, high = asked.importance_min, asked.importance_max
    if low is not None and high is not None and low > high:
        low, high = high, low
    return filled(
        MapView,
        asked,
        agent_id=agent_id,
        dimensions=int(asked.dimensions),
        limit=asked.limit or None,
        q=asked.q.strip(),
        who=tuple(dict.fromkeys((*asked.who, *asked.harness))),
        since=filters.instant("since", asked.since),
        until=filters.instant("until", asked.until, last=True),
        importance_min=low,
        importance_max=high,
    )


def _computing(view: MapView, looked: Looked) -> wire.Projection:
    return {
        "status": "computing",
        "dimensions": view.dimensions,
        "count": 0,
        "total": looked.extent.total,
    }


def _ready(view: MapView, looked: Looked) -> Response:
    drawn = project.drawn(view, looked)
    # A memory hidden from this reader in the meantime is removed with its edges.
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
        "cachedAt": drawn.cached_at,
    }
    return serving.respond_rows(fields, "nodes", nodes)


def _columns(view: MapView, looked: Looked) -> wire.ProjectionColumns:
    drawn = project.drawn(view, looked)
    shown = [place for place, id_ in enumerate(drawn.ids) if id_ in looked.rows]
    ids = [drawn.ids[place] for place in shown]
    types = [str(looked.rows[id_]["type"]) for id_ in ids]
    names = sorted(set(types))
    number = {name: at for at, name in enumerate(names)}
    return {
        "status": "ready",
        "count": len(ids),
        "total": looked.extent.total,
        "ids": ids,
        "x": [round(drawn.places[place][0] * TENTHS) for place in shown],
        "y": [round(drawn.places[place][1] * TENTHS) for place in shown],
        "types": [number[one] for one in types],
        "typeNames": [words.kind(one) for one in names],
    }


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
