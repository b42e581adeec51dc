"""Save a memory."""

import asyncio
from dataclasses import replace
from typing import Annotated

from fastapi import Depends

from signet import clock
from signet.domain.graph.link import (
    CONFIDENCE,
    AttributeInput,
    AttributeKind,
    EntityInput,
    StructuredInput,
)
from signet.domain.graph.models import EXTRACTED, IMPORTANCE, UNKNOWN, Triple
from signet.domain.memory import remember
from signet.domain.memory.models import Actor, NewMemory, Remembered, Rules, Visibility
from signet.domain.transcripts import transcript
from signet.errors import Invalid, TooLarge
from signet.wire import memory as wire
from signet.wire.requests.memory import MAX_CONTENT_CHARS, RememberBody
from signet.wire.requests.model import KEY_CHARS, NAME_CHARS
from signet_api import scopes
from signet_api.answering import predecessors
from signet_api.deps import Ask, Asker, State, bound, clock_offset, filed, project_of, said
from signet_api.serving import serves
from signet_api.shapes import as_wire, filled

#: Longer texts are scanned for secrets before the transaction, because 2 ms would block other writers.
LONG_CHARS = 20_000
#: Accepted visibilities; others mean the owner's default.
NAMED = {str(one): one for one in (Visibility.PRIVATE, Visibility.GLOBAL)}


async def _admitted(ask: Ask) -> Asker:
    await ask.state.admission.save()
    return ask


#: The request, once a save may continue.
Admitted = Annotated[Asker, Depends(_admitted)]


@serves(wire.REMEMBER)
@serves(wire.SAVE)
@serves(wire.HOOK_SAVE)
async def post_remember(ask: Admitted, body: RememberBody) -> wire.Remembered:
    """Save a text and queue its processing; `deduped` means that it already existed.

    `event_at` is when it happened, if not now. The new memory supersedes those in `supersedes`. `hints` are
    questions that it answers; `entities` and `aspects` describe entities in the text. A save with an
    `idempotency_key` can be repeated and is saved once.
    """
    state = ask.state
    new = new_memory(await filed(body, state), await ask.agent(body))
    new = await _from_where(new, body, ask)
    offset = clock_offset(ask.headers)
    if new.created_at and offset:
        new = replace(new, created_at=clock.shifted(new.created_at, offset))
    saved = await save(state, new, ask.actor(body.changed_by))
    told = answer(saved)
    if earlier := await predecessors(saved, new, state):
        told["may_replace"] = earlier
    return told


async def save(state: State, new: NewMemory, actor: Actor) -> Remembered:
    """Save a text that fits into one transaction; raises Invalid, TooLarge and ScopeDenied."""
    if not new.content.strip():
        raise Invalid("content is required")
    if len(new.content) > MAX_CONTENT_CHARS:
        raise TooLarge(
            f"content is longer than {MAX_CONTENT_CHARS} characters; add it as a document (signet document add FILE)"
        )
    if new.transcript:
        await scopes.check_session(state.db, new.agent_id, new.source_id)
    rules = Rules.of(state.settings)
    if rules.masks and len(new.content) + len(new.transcript or "") > LONG_CHARS:
        new = await asyncio.to_thread(remember.without_secrets, new)
    saved = await state.db.awrite(remember.remember, new, actor=actor, rules=rules, now=clock.now())
    await state.admission.saved()
    return saved


def new_memory(body: RememberBody, agent_id: str) -> NewMemory:
    """Return the memory described by a request."""
    return filled(
        NewMemory,
        body,
        agent_id=agent_id,
        type=body.type or None,
        who=body.who or "daemon",
        origin=body.origin,
        project=bound(body.project),
        source_type=body.source_type or "manual",
        source_id=body.source_id or None,
        session_id=body.session_key or None,
        visibility=NAMED.get(body.visibility or ""),
        scope=body.scope or None,
        hints=tuple(body.hints or ()),
        spoken=transcript.spoken(body.transcript) if body.transcript else None,
        told=_structured(body),
        supersedes=tuple(body.supersedes),
    )


async def _from_where(new: NewMemory, body: RememberBody, ask: Asker) -> NewMemory:
    """Return the memory with the session named in the headers, unless the body names one (MC-6)."""
    harness, named = (said(ask.headers, f"x-signet-{one}") for one in ("harness", "project"))
    if not (harness or named):
        return new
    return replace(
        new,
        who=body.who or (harness or new.who)[:NAME_CHARS],
        project=new.project or await project_of((named or "")[:KEY_CHARS], ask.state),
    )


def _structured(body: RememberBody) -> StructuredInput | None:
    """Return the request's entities, relations and attributes, None without any."""
    if not (body.entities or body.aspects):
        return None
    named = [entity for entity in body.entities if entity.name]
    related = [entity for entity in body.entities if entity.source and entity.target]
    return StructuredInput(
        entities=tuple(
            EntityInput(name=one.name or "", type=one.type or EXTRACTED) for one in named
        ),
        relations=tuple(
            Triple(
                source=one.source or "",
                source_type=one.source_type or UNKNOWN,
                relationship=one.relationship or "",
                target=one.target or "",
                target_type=one.target_type or UNKNOWN,
                confidence=CONFIDENCE if one.confidence is None else one.confidence,
            )
            for one in related
        ),
        attributes=tuple(
            AttributeInput(
                entity=aspect.entity,
                aspect=aspect.aspect,
                content=said.content,
                kind=AttributeKind(said.kind),
                confidence=CONFIDENCE if said.confidence is None else said.confidence,
                importance=IMPORTANCE if said.importance is None else said.importance,
            )
            for aspect in body.aspects
            for said in aspect.attributes
        ),
    )


def answer(saved: Remembered) -> wire.Remembered:
    """Return the answer for a saved memory."""
    body = as_wire(
        wire.Remembered,
        saved,
        success=True,
        memoryId=saved.id,
        tags=",".join(saved.tags) or None,
        rewritten=saved.is_rewritten or None,
        origin_claimed=saved.claimed or None,
        review=saved.review or None,
    )
    if saved.is_chunked:
        return {**body, "chunked": True, "chunk_count": len(saved.ids), "ids": list(saved.ids)}
    body.pop("ids", None)
    body.pop("group_id")
    return body
