"""Ask for memories."""

import time
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fastapi import Query as Address
from fastapi import Request

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.injections.models import Item, Kind, Phase, Reason
from signet.domain.recall import answer, recall
from signet.domain.recall import settings as tuning
from signet.domain.recall.models import (
    Filters,
    Query,
    QueryVector,
    Result,
)
from signet.domain.sessions.calls import Call
from signet.errors import Invalid
from signet.observe import record
from signet.observe.record import Event
from signet.wire import recall as wire
from signet.wire.recall import Recalled
from signet.wire.requests.hooks import HookRecallBody, bare
from signet.wire.requests.recall import RecallBody, RecallParams
from signet_api import scopes
from signet_api.deps import Shared, State, agent_of, said
from signet_api.injections import record_injection
from signet_api.serving import serves


@serves(wire.RECALL)
async def post_recall(body: RecallBody, request: Request, state: Shared) -> Recalled:
    """Return the memories that answer a question, best first."""
    return await recalled(body, request, state)


@serves(wire.RECALL_BY_ADDRESS)
async def get_search(
    query: Annotated[RecallParams, Address()], request: Request, state: Shared
) -> Recalled:
    """Return the same answer for a question in the address: `q` and the names of the recall body."""
    return await recalled(query, request, state)


async def recalled(body: RecallBody, request: Request, state: State) -> Recalled:
    """Return the answer to a question; Invalid when it is empty."""
    if not body.query.strip():
        raise Invalid("query is required")
    agent_id = await agent_of(body.agent_id, body.session_key, request)
    key = bare(body.session_key or said(request.headers, "x-signet-session-key") or "")
    await scopes.check_session(state.db, agent_id, key)
    result = await found(body, agent_id, state)
    state.counting.later(result, agent_id)
    record_injection(state, _call(body, agent_id, key), Phase.RECALL, "", _items(result))
    return answer.body(result)


def _call(body: RecallBody, agent_id: str, key: str) -> Call:
    harness = body.harness if isinstance(body, HookRecallBody) else ""
    project = caller.current().scope.project or body.project
    return Call(agent_id=agent_id, harness=harness, key=key or None, project=project)


def _items(result: Result) -> list[Item]:
    """Return the results as the record of a session tells them."""
    return [
        Item(
            kind=Kind.MEMORY,
            id=hit.id,
            reason=Reason.MATCH,
            text=hit.content,
            chars=min(len(hit.content), result.truncate_chars),
            score=round(hit.score, 3),
            said_at=hit.created_at,
        )
        for hit in result.hits
    ]


async def found(body: RecallBody, agent_id: str, state: State) -> Result:
    """Return what the store knows about a question; uses are for the caller to count."""
    started = time.monotonic()
    with state.admission.question():
        vector = await state.vectors.of(body.query)
        async with state.recalls:
            result = await state.db.aread(_answer, body, agent_id, vector, state)
    _tell(result, time.monotonic() - started)
    return result


def _tell(result: Result, seconds: float) -> None:
    record.event(
        Event.RECALL_PERFORMED,
        type=result.method,
        results=len(result.hits),
        latencyMs=round(seconds * 1000, 1),
        truncated=any(len(hit.content) > result.truncate_chars for hit in result.hits),
    )


def _answer(
    tx: ReadTx, body: RecallBody, agent_id: str, vector: QueryVector, state: State
) -> Result:
    query = Query(
        text=body.query,
        reader=agents.reader(tx, agent_id, scope=body.scope or None),
        keyword_text=body.keyword_query,
        limit=body.limit,
        filters=Filters(
            type=body.type,
            tags=body.tags,
            who=body.who,
            pinned=True if body.pinned else None,
            importance_min=body.importance_min,
            since=body.since,
            until=body.until,
            project=body.project,
        ),
        now=body.now,
        zone=_zone(body.timezone),
        as_of=body.as_of,
        min_score=body.min_score,
        floor=body.floor,
        community=body.community,
        expand=body.expand,
        entities=body.entities,
        cards=body.cards,
        explain=body.explain,
    )
    settings = tuning.of(state.settings, embedding_model=state.vectors.model)
    return recall.recall(tx, query, query_vector=vector, settings=settings, now=clock.now())


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise Invalid("timezone must be an IANA name, for example Europe/Paris") from error
