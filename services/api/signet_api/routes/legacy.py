"""The older reads, which the dashboard still asks: search by words and filters, and what is similar to a memory."""

from fastapi import APIRouter, Request

from signet import clock
from signet.db import ReadTx, Row
from signet.domain.agents import store as agents
from signet.domain.browse import search, similar
from signet.domain.browse.search import Search
from signet.domain.browse.similar import Similar
from signet.domain.memory import filters
from signet.domain.memory.store import tags_of
from signet.errors import Invalid
from signet.wire.requests.browse import SearchParams
from signet_api.deps import Shared, agent_of
from signet_api.params import checked, whole

router = APIRouter(tags=["memory"])

#: Neighbours when no number is asked for, and at most.
NEIGHBOURS, MOST_NEIGHBOURS = 10, 100


@router.get("/memory/search")
async def get_legacy_search(request: Request, state: Shared) -> dict[str, object]:
    """Return memories by words and filters, or with `distinct` the values of `who` or `type` that there are."""
    params = request.query_params
    agent_id = await agent_of(params.get("agent_id"), None, request)
    if (column := params.get("distinct")) in search.COLUMNS:
        return {"values": await state.db.aread(_values, column, agent_id)}
    asked = checked(SearchParams, {name: text for name, text in params.items() if text})
    wanted = Search(
        q=asked.q.strip(),
        type=asked.type,
        tags=asked.tags,
        who=asked.who,
        is_pinned=asked.pinned,
        importance_min=asked.importance_min,
        since=filters.instant("since", asked.since),
        limit=whole(params.get("limit"), 0, low=-1, high=search.MOST) or None,
    )
    return {"results": [_found(row) for row in await state.db.aread(_search, agent_id, wanted)]}


@router.get("/memory/similar")
async def get_similar(request: Request, state: Shared) -> dict[str, object]:
    """Return the memories that are nearest in meaning to the one with this `id`."""
    params = request.query_params
    memory_id = params.get("id")
    if not memory_id:
        raise Invalid("id is required", results=[])
    agent_id = await agent_of(params.get("agent_id"), None, request)
    k = whole(params.get("k"), NEIGHBOURS, low=1, high=MOST_NEIGHBOURS)
    found = await state.db.aread(_similar, agent_id, memory_id, k, params.get("type") or None)
    return {"results": [_near(row, found) for row in found.rows]}


def _values(tx: ReadTx, column: str, agent_id: str) -> list[str]:
    return search.values(tx, column, reader=agents.reader(tx, agent_id))


def _search(tx: ReadTx, agent_id: str, wanted: Search) -> list[Row]:
    return search.find(tx, wanted, reader=agents.reader(tx, agent_id), now=clock.now())


def _similar(tx: ReadTx, agent_id: str, memory_id: str, k: int, type: str | None) -> Similar:
    reader = agents.reader(tx, agent_id)
    return similar.find(tx, memory_id, reader=reader, k=k, type=type)


def _found(row: Row) -> dict[str, object]:
    score = {} if row["score"] is None else {"score": round(row["score"], 4)}
    return {
        "id": row["id"],
        "content": row["content"],
        "created_at": row["created_at"],
        "who": row["who"],
        "importance": row["importance"],
        "tags": ",".join(tags_of(row["tags"])) or None,
        "type": row["type"],
        "pinned": bool(row["pinned"]),
        **score,
    }


def _near(row: Row, found: Similar) -> dict[str, object]:
    return {
        "id": row["id"],
        "content": row["content"],
        "type": row["type"],
        "tags": list(tags_of(row["tags"])),
        "score": round(found.scores[row["seq"]], 2),
        "confidence": row["confidence"],
        "created_at": row["created_at"],
        "who": row["who"],
        "importance": row["importance"],
        "pinned": bool(row["pinned"]),
    }
