"""Ask for memories."""

from typing import Annotated

from fastapi import Query as Address
from fastapi import Request

from signet.domain.auth import caller
from signet.domain.injections.models import Item, Kind, Phase, Reason
from signet.domain.recall import answer
from signet.domain.recall.models import (
    Result,
)
from signet.domain.sessions import injected
from signet.domain.sessions.calls import Call
from signet.errors import Invalid
from signet.wire import recall as wire
from signet.wire.recall import Recalled
from signet.wire.requests.hooks import HookRecallBody, bare
from signet.wire.requests.recall import RecallBody, RecallParams
from signet_api import scopes
from signet_api.answering import found
from signet_api.deps import Shared, State, agent_of, said
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
    injected.record(
        state.injections.put, _call(body, agent_id, key), Phase.RECALL, "", _items(result)
    )
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
