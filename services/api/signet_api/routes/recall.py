"""Ask for memories."""

from dataclasses import replace
from typing import Annotated

from fastapi import Query as Address
from fastapi import Request

from signet.domain.auth import caller
from signet.domain.injections.models import Item, Kind, Phase, Reason, tokens
from signet.domain.recall import answer
from signet.domain.recall.models import (
    Result,
)
from signet.domain.sessions import context, injected, prompt, prompt_text
from signet.domain.sessions.calls import Call
from signet.errors import Invalid
from signet.wire import recall as wire
from signet.wire.recall import AsPrompt, Recalled
from signet.wire.requests.hooks import HookRecallBody, bare
from signet.wire.requests.recall import RecallBody, RecallParams
from signet_api import scopes
from signet_api.answering import found, services_of
from signet_api.deps import Shared, State, agent_of, said
from signet_api.hook import known
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
    if body.touch:
        state.counting.later(result, agent_id)
        injected.record(
            state.injections.put, _call(body, agent_id, key), Phase.RECALL, "", _items(result)
        )
    recalled = answer.body(result)
    if body.as_prompt:
        recalled["prompt"] = await _as_prompt(body, agent_id, key, state)
    return recalled


async def _as_prompt(body: RecallBody, agent_id: str, key: str, state: State) -> AsPrompt:
    """Return what a session would be given with the question, without a trace of it."""
    call = _call(body, agent_id, key)
    session = await known(call, state)
    given = session.given if session else frozenset()
    asked = prompt.question(call, body.query, prompt_text.terms(body.query), given, state.settings)

    async def look(body: RecallBody, agent_id: str) -> Result:
        return await found(body.model_copy(update={"touch": False}), agent_id, state)

    services = replace(services_of(state), recall=look)
    text = (await context.context_of(asked, services)).text if asked else ""
    return {"text": text, "chars": len(text), "tokens": tokens(len(text))}


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
