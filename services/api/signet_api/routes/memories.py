"""Read memories one by one, in pages, and their history."""

from fastapi import APIRouter, Request

from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.memory import history, lookup
from signet.domain.memory.models import Change, Memory
from signet_api.deps import Shared, agent_of
from signet_api.params import whole

router = APIRouter(tags=["memory"])


@router.get("/api/memories")
async def get_memories(request: Request, state: Shared) -> dict[str, object]:
    """Return a page of memories, newest first, and counts over all."""
    params = request.query_params
    agent_id = await agent_of(params.get("agent_id"), None, request)
    return await state.db.aread(
        _page,
        agent_id,
        limit=whole(params.get("limit"), 100, low=1, high=1_000),
        offset=whole(params.get("offset"), 0, low=0, high=1_000_000_000),
        before=params.get("before") or None,
        type=params.get("type") or None,
        source_id=params.get("source_id") or params.get("sourceId") or None,
        scope=params.get("scope") or None,
    )


@router.get("/api/memory/{memory_id}")
async def get_memory(memory_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Return one memory; a forgotten or unknown one is not found."""
    agent_id = await agent_of(request.query_params.get("agent_id"), None, request)
    return full(await state.db.aread(_one, memory_id, agent_id))


@router.get("/api/memory/{memory_id}/history")
async def get_history(memory_id: str, request: Request, state: Shared) -> dict[str, object]:
    """Return what has happened to a memory, oldest first; forgotten memories too."""
    params = request.query_params
    agent_id = await agent_of(params.get("agent_id"), None, request)
    limit = whole(params.get("limit"), history.DEFAULT_LIMIT, low=0, high=history.MAX_LIMIT)
    limit = limit or history.DEFAULT_LIMIT  # what is no number of rows counts as none (MEM-22)
    changes = await state.db.aread(_history, memory_id, agent_id, limit)
    return {
        "memoryId": memory_id,
        "count": len(changes),
        "history": [_change(change) for change in changes],
    }


def _one(tx: ReadTx, memory_id: str, agent_id: str) -> Memory:
    return lookup.get(tx, memory_id, reader=agents.reader(tx, agent_id))


def _history(tx: ReadTx, memory_id: str, agent_id: str, limit: int) -> list[Change]:
    return history.of(tx, memory_id, reader=agents.reader(tx, agent_id), limit=limit)


def _page(
    tx: ReadTx,
    agent_id: str,
    *,
    limit: int,
    offset: int,
    before: str | None,
    type: str | None,
    source_id: str | None,
    scope: str | None,
) -> dict[str, object]:
    reader = agents.reader(tx, agent_id, scope=scope)
    stats = lookup.stats(tx, reader=reader)
    found = lookup.newest(
        tx,
        reader=reader,
        limit=limit,
        offset=offset,
        before=before,
        type=type,
        source_id=source_id,
    )
    return {
        "memories": [_short(memory) for memory in found],
        "stats": {
            "total": stats.total,
            "withEmbeddings": stats.with_embeddings,
            "critical": stats.critical,
        },
    }


def _short(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "content": memory.content,
        "created_at": memory.created_at,
        "who": memory.who,
        "importance": memory.importance,
        "tags": ",".join(memory.tags) or None,
        "source_type": memory.source_type,
        "pinned": memory.pinned,
        "type": memory.type,
    }


def full(memory: Memory) -> dict[str, object]:
    """Return every field of a memory that clients read (MEM-20)."""
    from_session = (memory.source_type or "").startswith("session")
    return _short(memory) | {
        "pinned": int(memory.pinned),
        "source_id": memory.source_id,
        "project": memory.project,
        "session_id": memory.session_id,
        "sessionId": memory.session_id or (memory.source_id if from_session else None),
        "confidence": memory.confidence,
        "access_count": memory.access_count,
        "last_accessed": memory.last_accessed,
        "is_deleted": int(memory.is_deleted),
        "deleted_at": memory.deleted_at,
        "extraction_status": memory.extraction_status,
        "embedding_model": memory.embedding_model,
        "version": memory.version,
        "updated_at": memory.updated_at,
        "updated_by": memory.updated_by,
        "agent_id": memory.agent_id,
        "visibility": memory.visibility,
        "scope": memory.scope,
    }


def _change(change: Change) -> dict[str, object]:
    return {
        "id": change.id,
        "event": change.event,
        "oldContent": change.old_content,
        "newContent": change.new_content,
        "changedBy": change.changed_by,
        "actorType": change.actor_type,
        "reason": change.reason,
        "metadata": change.metadata,
        "createdAt": change.created_at,
        "sessionId": change.session_id,
        "requestId": change.request_id,
    }
