"""The older reads, which the dashboard still asks: search by words and filters, and what is similar to a memory."""

from typing import Annotated

from fastapi import Query

from signet import clock
from signet.db import ReadTx, Row
from signet.domain.agents import registry as agents
from signet.domain.browse import search, similar
from signet.domain.browse.search import Search
from signet.domain.browse.similar import Similar
from signet.domain.memory import filters
from signet.domain.memory.models import tags_of
from signet.errors import Invalid
from signet.wire import recall as wire
from signet.wire.recall import Found, FoundMany, Values
from signet.wire.requests.browse import SearchParams
from signet.wire.requests.model import Text, Whole
from signet_api.deps import Db
from signet_api.params import Agent
from signet_api.serving import serves

#: Neighbours when no number is asked for, and at most.
NEIGHBOURS, MOST_NEIGHBOURS = 10, 100


@serves(wire.SEARCH)
async def get_legacy_search(
    asked: Annotated[SearchParams, Query()], agent: Agent, db: Db
) -> FoundMany | Values:
    """Return memories by words and filters, or with `distinct` the values of `who` or `type` that there are."""
    if asked.distinct in search.COLUMNS:
        return {"values": await db.aread(_values, asked.distinct, agent)}
    wanted = Search(
        q=asked.q.strip(),
        type=asked.type,
        tags=asked.tags,
        who=asked.who,
        is_pinned=asked.pinned,
        importance_min=asked.importance_min,
        since=filters.instant("since", asked.since),
        limit=asked.limit or None,
    )
    return {"results": [_found(row) for row in await db.aread(_search, agent, wanted)]}


@serves(wire.SIMILAR)
async def get_similar(
    agent: Agent,
    db: Db,
    id: str = "",
    k: Annotated[int, Whole(1, MOST_NEIGHBOURS)] = NEIGHBOURS,
    type: Text = None,
) -> FoundMany:
    """Return the memories that are nearest in meaning to the one with this `id`."""
    if not id:
        raise Invalid("id is required", results=[])
    found = await db.aread(_similar, agent, id, k, type)
    return {"results": [_near(row, found) for row in found.rows]}


def _values(tx: ReadTx, column: str, agent_id: str) -> list[str]:
    return search.values(tx, column, reader=agents.reader(tx, agent_id))


def _search(tx: ReadTx, agent_id: str, wanted: Search) -> list[Row]:
    return search.find(tx, wanted, reader=agents.reader(tx, agent_id), now=clock.now())


def _similar(tx: ReadTx, agent_id: str, memory_id: str, k: int, type: str | None) -> Similar:
    reader = agents.reader(tx, agent_id)
    return similar.find(tx, memory_id, reader=reader, k=k, type=type)


def _found(row: Row) -> Found:
    found: Found = {
        "id": row["id"],
        "content": row["content"],
        "created_at": row["created_at"],
        "who": row["who"],
        "importance": row["importance"],
        "tags": ",".join(tags_of(row["tags"])) or None,
        "type": row["type"],
        "pinned": bool(row["pinned"]),
    }
    if row["score"] is not None:
        found["score"] = round(row["score"], 4)
    return found


def _near(row: Row, found: Similar) -> Found:
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
