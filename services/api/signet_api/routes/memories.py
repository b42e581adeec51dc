"""Read memories one by one, in pages, and their history."""

from typing import Annotated

from fastapi import Query

from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.memory import history, lookup
from signet.domain.memory.models import Change, Memory
from signet.wire import memory as wire
from signet.wire.memory import MemoryPage, MemorySummary
from signet.wire.requests.browse import PageParams
from signet.wire.requests.model import Whole
from signet_api.deps import Db
from signet_api.params import Agent
from signet_api.serving import serves


@serves(wire.MEMORIES)
async def get_memories(agent: Agent, query: Annotated[PageParams, Query()], db: Db) -> MemoryPage:
    """Return a page of memories, newest first, and counts over all."""
    return await db.aread(_page, agent, query)


@serves(wire.MEMORY)
async def get_memory(memory_id: str, agent: Agent, db: Db) -> wire.Memory:
    """Return one memory; a forgotten or unknown one is not found."""
    return full(await db.aread(_one, memory_id, agent))


@serves(wire.HISTORY)
async def get_history(
    memory_id: str,
    agent: Agent,
    db: Db,
    limit: Annotated[int, Whole(0, history.MAX_LIMIT)] = history.DEFAULT_LIMIT,
) -> wire.History:
    """Return what has happened to a memory, oldest first; forgotten memories too."""
    limit = limit or history.DEFAULT_LIMIT  # what is no number of rows counts as none (MEM-22)
    changes = await db.aread(_history, memory_id, agent, limit)
    return {
        "memoryId": memory_id,
        "count": len(changes),
        "history": [_change(change) for change in changes],
    }


def _one(tx: ReadTx, memory_id: str, agent_id: str) -> Memory:
    return lookup.get(tx, memory_id, reader=agents.reader(tx, agent_id))


def _history(tx: ReadTx, memory_id: str, agent_id: str, limit: int) -> list[Change]:
    return history.of(tx, memory_id, reader=agents.reader(tx, agent_id), limit=limit)


def _page(tx: ReadTx, agent_id: str, query: PageParams) -> MemoryPage:
    reader = agents.reader(tx, agent_id, scope=query.scope)
    stats = lookup.stats(tx, reader=reader)
    found = lookup.newest(
        tx,
        reader=reader,
        limit=query.limit,
        offset=query.offset,
        before=query.before,
        type=query.type,
        source_id=query.source_id,
    )
    return {
        "memories": [_short(memory) for memory in found],
        "stats": {
            "total": stats.total,
            "withEmbeddings": stats.with_embeddings,
            "critical": stats.critical,
        },
    }


def _short(memory: Memory) -> MemorySummary:
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
        "origin": memory.origin,
        "review": memory.review,
    }


def full(memory: Memory) -> wire.Memory:
    """Return every field of a memory that clients read (MEM-20)."""
    from_session = (memory.source_type or "").startswith("session")
    return {
        **_short(memory),
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


def _change(change: Change) -> wire.Change:
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
