"""The vectors of memories: their export, the provider that makes them, how well they are."""

import asyncio
from datetime import datetime

from fastapi import APIRouter, Request, Response

from signet import clock
from signet.config.sections import EmbeddingProvider
from signet.db import ReadTx, Row, vectors
from signet.domain.agents import registry as agents
from signet.domain.browse import export
from signet.domain.browse.export import Page
from signet.domain.embeddings import health
from signet.domain.embeddings import vectors as embeddings
from signet.domain.embeddings.health import Check
from signet.domain.embeddings.models import Survey
from signet.domain.memory.models import tags_of
from signet.net import http
from signet.providers import chosen, openai
from signet.queue import circuit_breaker
from signet.queue.kinds import queue_of
from signet_api import processes, rows
from signet_api.deps import Shared, State, agent_of
from signet_api.params import whole
from signet_api.probe import Probed

router = APIRouter(tags=["embeddings"])


@router.get("/api/embeddings")
async def get_embeddings(request: Request, state: Shared) -> Response:
    """Return a page of the memories that have a vector, newest first; the vectors with `vectors=true`."""
    params = request.query_params
    agent_id = await agent_of(params.get("agent_id"), None, request)
    limit = whole(params.get("limit"), export.USUAL, low=export.LEAST, high=export.MOST)
    offset = whole(params.get("offset"), 0, low=0, high=export.FURTHEST)
    wanted = params.get("vectors") == "true"
    page = await state.db.aread(_page, agent_id, limit=limit, offset=offset, vectors=wanted)
    fields = {
        "count": len(page.rows),
        "total": page.total,
        "limit": limit,
        "offset": offset,
        "hasMore": offset + len(page.rows) < page.total,
    }
    exported = map(_exported, page.rows)
    return await asyncio.to_thread(rows.answer, fields, "embeddings", exported)


@router.get("/api/embeddings/status")
async def get_embedding_status(state: Shared) -> dict[str, object]:
    """Return whether the provider answers, and what the search for missing vectors has done."""
    embedding = state.settings.embedding
    probed = await _probed(state)
    error = {} if probed.fault is None else {"error": probed.fault}
    return {
        "provider": embedding.provider,
        "model": embedding.model,
        "available": probed.fault is None,
        "dimensions": embedding.dimensions,
        "base_url": _base_url(state),
        **error,
        "checkedAt": clock.to_text(probed.at),
        **await state.db.aread(_tracker, state, clock.now()),
    }


@router.get("/api/embeddings/health")
async def get_embedding_health(state: Shared) -> dict[str, object]:
    """Return seven checks of provider and vectors, and one score."""
    embedding = state.settings.embedding
    probed = await _probed(state)
    survey: Survey = await state.db.aread(
        embeddings.survey, model=state.vectors.model, dimensions=embedding.dimensions
    )
    found = health.checks(
        survey, fault=probed.fault, model=embedding.model, dimensions=embedding.dimensions
    )
    score = health.score(found)
    return {
        "status": health.status(score),
        "score": score,
        "checkedAt": clock.to_text(clock.now()),
        "config": {
            "provider": embedding.provider,
            "model": embedding.model,
            "dimensions": embedding.dimensions,
        },
        "checks": [_check(check) for check in found],
    }


async def _probed(state: State) -> Probed:
    """Return what is known of the provider; while its queue waits for it, it is left in peace."""
    retry_at = await state.db.aread(circuit_breaker.breaker_retry_at, queue_of("embed"))
    now = clock.now()
    if retry_at is not None and retry_at > now.timestamp() * 1000:
        return Probed(fault=f"Not available; asked again at {clock.ms_to_text(retry_at)}", at=now)
    wanted = chosen.vector_settings(state.live.keyed, state.live.loaded.environment)
    return await state.probe.look(wanted)


def _tracker(tx: ReadTx, state: State, now: datetime) -> dict[str, object]:
    settings = state.settings
    retry_at = circuit_breaker.breaker_retry_at(tx, queue_of("embed"))
    waiting = {} if retry_at is None else {"waitingUntil": clock.ms_to_text(retry_at)}
    if not settings.pipeline.embedding_tracker.enabled:
        return {"tracker": None, **waiting}
    done = embeddings.tracker(tx)
    missing = processes.missing(processes.states(tx, state.workspace.runtime_dir, now=now))
    is_on = settings.embedding.provider is not EmbeddingProvider.NONE
    tracker = {
        "running": is_on and not {"worker", "scheduler"} & set(missing),
        "processed": done.processed,
        "failed": done.failed,
        "skippedCycles": done.skipped_cycles,
        "lastCycleAt": done.last_cycle_at,
        "queueDepth": done.queue_depth,
    }
    return {"tracker": tracker, **waiting}


def _base_url(state: State) -> str | None:
    """Return where the provider is, as it may be shown; None for one in this process."""
    wanted = chosen.vector_settings(state.live.keyed, state.live.loaded.environment)
    usual = {
        EmbeddingProvider.OLLAMA: wanted.ollama_url,
        EmbeddingProvider.OPENAI: openai.BASE_URL,
    }.get(state.settings.embedding.provider)
    return usual and http.shown(wanted.base_url or usual)


def _check(check: Check) -> dict[str, object]:
    said = {"detail": check.detail, "fix": check.fix}
    return {
        "name": check.name,
        "status": check.grade,
        "message": check.message,
        **{name: text for name, text in said.items() if text is not None},
    }


def _page(tx: ReadTx, agent_id: str, *, limit: int, offset: int, vectors: bool) -> Page:
    reader = agents.reader(tx, agent_id)
    return export.page(tx, reader=reader, limit=limit, offset=offset, vectors=vectors)


def _exported(row: Row) -> dict[str, object]:
    vector = {} if row["vector"] is None else {"vector": vectors.unpack(row["vector"])}
    return {
        "id": row["id"],
        "content": row["content"],
        "text": row["content"],
        "who": row["who"] or "unknown",
        "importance": 0.5 if row["importance"] is None else row["importance"],
        "type": row["type"],
        "tags": list(tags_of(row["tags"])),
        "sourceType": row["source_type"] or "memory",
        "sourceId": row["source_id"] or row["id"],
        "createdAt": row["created_at"],
        **vector,
    }
