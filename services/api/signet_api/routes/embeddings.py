"""The vectors of memories: their export, the provider that makes them, how well they are."""

import asyncio
from datetime import datetime
from typing import Annotated, TypedDict

from fastapi import Response

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
from signet.wire import embeddings as wire
from signet.wire.embeddings import Embedding, EmbeddingsHealth, EmbeddingsStatus
from signet.wire.requests.model import Text, Whole
from signet_api import processes, rows
from signet_api.deps import Shared, State
from signet_api.params import Agent
from signet_api.probe import Probed
from signet_api.serving import serves


class _Fault(TypedDict, total=False):
    error: str
    waitingUntil: str


@serves(wire.EMBEDDINGS)
async def get_embeddings(
    agent_id: Agent,
    state: Shared,
    limit: Annotated[int, Whole(export.LEAST, export.MOST)] = export.USUAL,
    offset: Annotated[int, Whole(0, export.FURTHEST)] = 0,
    vectors: Text = None,
) -> Response:
    """Return a page of the memories that have a vector, newest first; the vectors with `vectors=true`."""
    wanted = vectors == "true"
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


@serves(wire.EMBEDDINGS_STATUS)
async def get_embedding_status(state: Shared) -> EmbeddingsStatus:
    """Return whether the provider answers, and what the search for missing vectors has done."""
    embedding = state.settings.embedding
    probed = await _probed(state)
    tracker, waiting_until = await state.db.aread(_tracker, state, clock.now())
    found: EmbeddingsStatus = {
        "provider": embedding.provider,
        "model": embedding.model,
        "available": probed.fault is None,
        "dimensions": embedding.dimensions,
        "base_url": _base_url(state),
        **_fault(probed),
        "checkedAt": clock.to_text(probed.at),
        "tracker": tracker,
    }
    if waiting_until is not None:
        found["waitingUntil"] = waiting_until
    return found


@serves(wire.EMBEDDINGS_HEALTH)
async def get_embedding_health(state: Shared, agent_id: Text = None) -> EmbeddingsHealth:
    """Return seven checks of provider and vectors, and one score; of all agents, whichever is named."""
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


def _fault(probed: Probed) -> _Fault:
    return {} if probed.fault is None else {"error": probed.fault}


async def _probed(state: State) -> Probed:
    """Return what is known of the provider; while its queue waits for it, it is left in peace."""
    retry_at = await state.db.aread(circuit_breaker.breaker_retry_at, queue_of("embed"))
    now = clock.now()
    if retry_at is not None and retry_at > now.timestamp() * 1000:
        return Probed(fault=f"Not available; asked again at {clock.ms_to_text(retry_at)}", at=now)
    wanted = chosen.vector_settings(state.live.keyed, state.live.loaded.environment)
    return await state.probe.look(wanted)


def _tracker(
    tx: ReadTx, state: State, now: datetime
) -> tuple[dict[str, object] | None, str | None]:
    """Return what the search for missing vectors has done, and until when it waits for the provider."""
    settings = state.settings
    retry_at = circuit_breaker.breaker_retry_at(tx, queue_of("embed"))
    waiting = None if retry_at is None else clock.ms_to_text(retry_at)
    if not settings.pipeline.embedding_tracker.enabled:
        return None, waiting
    missing = processes.missing(processes.states(tx, state.workspace.runtime_dir, now=now))
    is_on = settings.embedding.provider is not EmbeddingProvider.NONE
    is_running = is_on and not {"worker", "scheduler"} & set(missing)
    return {"running": is_running, **embeddings.tracker(tx)}, waiting


def _base_url(state: State) -> str | None:
    """Return where the provider is, as it may be shown; None for one in this process."""
    wanted = chosen.vector_settings(state.live.keyed, state.live.loaded.environment)
    usual = {
        EmbeddingProvider.OLLAMA: wanted.ollama_url,
        EmbeddingProvider.OPENAI: openai.BASE_URL,
    }.get(state.settings.embedding.provider)
    return usual and http.shown(wanted.base_url or usual)


def _check(check: Check) -> wire.Check:
    found: wire.Check = {
        "name": check.name,
        "status": check.grade,
        "message": check.message,
    }
    if check.detail is not None:
        found["detail"] = check.detail
    if check.fix is not None:
        found["fix"] = check.fix
    return found


def _page(tx: ReadTx, agent_id: str, *, limit: int, offset: int, vectors: bool) -> Page:
    reader = agents.reader(tx, agent_id)
    return export.page(tx, reader=reader, limit=limit, offset=offset, vectors=vectors)


def _exported(row: Row) -> Embedding:
    found: Embedding = {
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
    }
    if row["vector"] is not None:
        found["vector"] = vectors.unpack(row["vector"])
    return found
