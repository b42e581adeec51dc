"""Search memories: by question, for a prompt's context, by words and filters, by similarity."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import Query

from signet import clock
from signet.db.visibility import Here
from signet.domain.auth import caller
from signet.domain.browse import browse
from signet.domain.browse.browse import SimilarMemory
from signet.domain.episodes import expand
from signet.domain.episodes.models import SourceType
from signet.domain.injections.models import Item, ItemKind, Phase, Reason, tokens
from signet.domain.memory import filters
from signet.domain.memory.listing import Filter
from signet.domain.memory.models import tags_of
from signet.domain.recall import answer
from signet.domain.recall.models import FoundBy, Result
from signet.domain.sessions import calls, context, prompt, prompt_text
from signet.domain.sessions.calls import SessionCall
from signet.domain.sessions.prompt_text import PromptQuery
from signet.domain.transcripts import stored
from signet.errors import Invalid
from signet.queue import admin
from signet.wire import recall as wire
from signet.wire.requests.browse import SearchParams
from signet.wire.requests.hooks import ContextBody, HookRecallBody, bare
from signet.wire.requests.model import ClampedInt, Text
from signet.wire.requests.recall import RecallBody, RecallParams
from signet_api import scopes
from signet_api.answering import found, services_of
from signet_api.deps import Ask, Asker, Mine, OwnReader, State, filed, project_of, said
from signet_api.serving import serves
from signet_api.shapes import as_wire, filled


@serves(wire.RECALL)
async def post_recall(body: RecallBody, ask: Ask) -> wire.Recalled:
    """Return the memories that answer a question, best first.

    Times in the question ("last week") are relative to `now`, with days of `timezone` (an IANA name; both default to
    the daemon's). `as_of` answers with the state of that time. Times are ISO-8601 or YYYY-MM-DD. `expand` adds
    transcripts under `sources`, `explain` explains each rank, `why_not` (an ID) why that memory is not a result.
    With `touch` false the results do not count as used. `entities` and `cards` describe the entities in the
    question.
    """
    return await recalled(body, ask)


@serves(wire.RECALL_BY_ADDRESS)
async def get_search(query: Annotated[RecallParams, Query()], ask: Ask) -> wire.Recalled:
    """Answer a question in the query string: `q` and the fields of the recall body."""
    return await recalled(query, ask)


async def recalled(body: RecallBody, ask: Asker) -> wire.Recalled:
    """Return the answer to a question; raises Invalid if it is empty."""
    if not body.query.strip():
        raise Invalid("query is required")
    state = ask.state
    body = await filed(body, state)
    agent_id = await ask.agent(body)
    key = bare(body.session_key or said(ask.headers, "x-signet-session-key") or "")
    await scopes.check_session(state.db, agent_id, key)
    result = await found(body, agent_id, state)
    if body.touch:
        if result.hits or result.walk.focal:
            state.uses.put((result, agent_id, clock.now()))
        calls.record_injection(
            state.injections.put, _call(body, agent_id, key), Phase.RECALL, "", _items(result)
        )
    recalled = answer.body(result, highlights=body.highlights)
    if body.highlights:
        await _entitle(recalled["results"], agent_id, state)
    if "vector" in result.degraded:
        recalled["degraded_reasons"] = {"vector": state.vectors.fault}
    elif not result.hits and await state.db.aread(admin.has_open, "vectors"):
        recalled["incomplete"] = True
    if body.as_prompt:
        recalled["prompt"] = await _as_prompt(body, agent_id, key, state)
    return recalled


async def _entitle(hits: Sequence[wire.RecallResult], agent_id: str, state: State) -> None:
    """Add the titles of the sessions that passages are from."""
    passages = [hit for hit in hits if hit["type"] == SourceType.SESSION]
    keys = [(agent_id, hit["source_id"] or "") for hit in passages]
    shown = await state.db.aread(stored.overviews, keys) if keys else {}
    for hit, key in zip(passages, keys, strict=True):
        if (known := shown.get(key)) and known.title:
            hit["title"] = known.title


async def _as_prompt(body: RecallBody, agent_id: str, key: str, state: State) -> wire.AsPrompt:
    """Return the context that a session would receive with the question, without recording it."""
    call = _call(body, agent_id, key)
    session = await state.db.aread(calls.state_of, agent_id, key) if key else None
    given = session.given if session else frozenset()
    asked = prompt.question(call, body.query, prompt_text.terms(body.query), given, state.settings)
    text = (await context.context_of(asked, services_of(state))).text if asked else ""
    return {"text": text, "chars": len(text), "tokens": tokens(len(text))}


def _call(body: RecallBody, agent_id: str, key: str) -> SessionCall:
    harness = body.harness if isinstance(body, HookRecallBody) else ""
    project = caller.current().scope.project or body.project
    return SessionCall(
        agent_id=agent_id, harness=harness, key=key or None, project=project, here=project
    )


def _items(result: Result) -> list[Item]:
    """Return the results as a session's record lists them."""
    return [
        Item(
            kind=ItemKind(hit.type) if hit.source is FoundBy.EPISODE else ItemKind.MEMORY,
            id=(hit.source_id or "") if hit.source is FoundBy.EPISODE else hit.id,
            reason=Reason.MATCH,
            text=hit.content,
            chars=min(len(hit.content), result.truncate_chars),
            score=round(hit.score, 3),
            said_at=hit.created_at,
            ranked=hit.ranked,
        )
        for hit in result.hits
    ]


@serves(wire.CONTEXT)
async def post_context(body: ContextBody, ask: Ask) -> wire.ContextAnswer | wire.EpisodePage:
    """Return the context for a prompt as one text, with its sources; with `id` (`session:abc`) one page of a source.

    Sessions receive the same block with their prompts. An unknown or foreign source is 404.
    """
    state, agent_id = ask.state, await ask.agent(body)
    if body.id:
        found = await OwnReader(state, agent_id).read(
            expand.page, body.id, body.page, project=caller.current().scope.project
        )
        return {
            "id": found.source.name,
            "type": found.source.type,
            "text": found.text,
            "page": found.page,
            "pages": found.pages,
        }
    await scopes.check_session(state.db, agent_id, body.session_key)
    if not body.prompt.strip():
        raise Invalid("prompt or id is required")
    only = await project_of(body.project, state)
    named = only or await project_of(said(ask.headers, "x-signet-project"), state)
    question = PromptQuery(
        agent_id=agent_id,
        message=body.prompt,
        terms=prompt_text.terms(body.prompt),
        chars=body.max_chars,
        line_chars=body.max_chars,
        key=body.session_key,
        here=Here(named) if named else None,
        only=only,
        scope=body.scope,
        limit=body.limit,
        min_score=body.min_score or 0.0,
        is_whole=True,
    )
    return context.described(await context.context_of(question, services_of(state)))


#: Default and maximum number of neighbours.
NEIGHBOURS, MOST_NEIGHBOURS = 10, 100


@serves(wire.SEARCH)
async def get_legacy_search(
    asked: Annotated[SearchParams, Query()], mine: Mine
) -> wire.FoundMany | wire.ColumnValues:
    """Return memories that contain the words, best first; without words, those that pass the filters.

    `distinct` returns the values of `who` or `type` instead. Recall understands questions; this matches only words.
    """
    if asked.distinct:
        return {"values": await mine.read(browse.values, asked.distinct)}
    since = filters.instant("since", asked.since)
    wanted = filled(Filter, asked, q=asked.q.strip(), pinned=asked.pinned or None, since=since)
    rows = await mine.read(browse.search, wanted, asked.limit, now=clock.now())
    return {"results": [_found(row) for row in rows]}


@serves(wire.SIMILAR)
async def get_similar(
    mine: Mine,
    id: str = "",
    k: Annotated[int, ClampedInt(1, MOST_NEIGHBOURS)] = NEIGHBOURS,
    type: Text = None,
) -> wire.FoundMany:
    """Return the memories most similar to the one with this `id`, best first; 404 without a vector."""
    if not id:
        raise Invalid("id is required", results=[])
    found = await mine.read(browse.find_similar, id, k=k, type=type)
    return {"results": [_near(row, found) for row in found.rows]}


def _found(row: Mapping[str, Any]) -> wire.FoundMemory:
    return as_wire(
        wire.FoundMemory,
        row,
        tags=",".join(tags_of(row["tags"])) or None,
        score=None if row["score"] is None else round(row["score"], 4),
        pinned=bool(row["pinned"]),
    )


def _near(row: Mapping[str, Any], found: SimilarMemory) -> wire.FoundMemory:
    return as_wire(
        wire.FoundMemory,
        row,
        tags=list(tags_of(row["tags"])),
        score=round(found.scores[row["seq"]], 2),
        pinned=bool(row["pinned"]),
    )
