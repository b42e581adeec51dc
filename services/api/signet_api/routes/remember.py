"""Save a memory."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import Depends
from pydantic import ValidationError

from signet import clock
from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.audit import log as audit
from signet.domain.auth import caller
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
from signet.domain.sessions import calls
from signet.domain.transcripts import transcript
from signet.domain.transfer import export, take
from signet.domain.transfer.records import TEXT, Fate, ImportOutcome, Record, Tally
from signet.domain.transfer.take import How
from signet.errors import Invalid, TooLarge
from signet.wire import memory as wire
from signet.wire import transfer as wire_transfer
from signet.wire.access import ADMIN
from signet.wire.audit import AuditAction
from signet.wire.origin import Origin
from signet.wire.requests.hooks import bare
from signet.wire.requests.memory import MAX_CONTENT_CHARS, ImportBody, RememberBody, TextBody
from signet.wire.requests.model import KEY_CHARS, NAME_CHARS, Flag, Text
from signet_api import audited, scopes
from signet_api.answering import predecessors
from signet_api.deps import (
    Agent,
    Ask,
    Asker,
    Shared,
    State,
    bound,
    clock_offset,
    filed,
    project_of,
    said,
)
from signet_api.serving import serves
from signet_api.shapes import as_wire, filled

#: Longer texts are scanned for secrets before the transaction, because 2 ms would block other writers.
LONG_CHARS = 20_000


async def _admitted(ask: Ask) -> Asker:
    await ask.state.admission.save()
    return ask


#: The request, once a save may continue.
Admitted = Annotated[Asker, Depends(_admitted)]


@serves(wire.REMEMBER)
@serves(wire.SAVE)
@serves(wire.HOOK_SAVE)
async def post_remember(ask: Admitted, body: RememberBody) -> wire.SavedMemory:
    """Save a text and queue its processing; `deduped` means that it already existed.

    `event_at` is when it happened, if not now. The new memory supersedes those in `supersedes`. `hints` are
    questions that it answers; `entities` and `aspects` describe entities in the text. A save with an
    `idempotency_key` can be repeated and is saved once.
    """
    state = ask.state
    actor = ask.actor(body.changed_by)
    new = new_memory(await filed(body, state), await ask.agent(body), actor.name)
    new = await _in_session(await _from_where(new, body, ask), body.harness, state)
    offset = clock_offset(ask.headers)
    if new.created_at and offset:
        new = replace(new, created_at=clock.shifted(new.created_at, offset))
    saved = await save(state, new, actor)
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
    rules = Rules.from_settings(state.settings)
    if rules.masks and len(new.content) + len(new.transcript or "") > LONG_CHARS:
        new = await asyncio.to_thread(remember.without_secrets, new)
    saved = await state.db.awrite(remember.remember, new, actor=actor, rules=rules, now=clock.now())
    await state.admission.saved()
    return saved


def new_memory(body: RememberBody, agent_id: str, by: str) -> NewMemory:
    return filled(
        NewMemory,
        body,
        agent_id=agent_id,
        type=body.type or None,
        who=body.who or by[:NAME_CHARS],
        origin=body.origin,
        project=bound(body.project),
        source_type=body.source_type or "manual",
        source_id=body.source_id or None,
        session_id=body.session_key or None,
        visibility=Visibility(body.visibility) if body.visibility else None,
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


async def _in_session(new: NewMemory, harness: str | None, state: State) -> NewMemory:
    """Return the memory with the project of its session, if it names only that (HK-5)."""
    if new.session_id is None:
        return new
    session = await state.db.aread(calls.known, new.agent_id, harness or "", bare(new.session_id))
    return replace(new, session_id=session.key, project=new.project or session.project)


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


def answer(saved: Remembered) -> wire.SavedMemory:
    body = as_wire(
        wire.SavedMemory,
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


#: Fields of a save that name other records; imports have their own kinds for these.
_NOT_IN_TEXTS: dict[str, object] = {"supersedes": [], "entities": [], "aspects": []}


@serves(wire_transfer.EXPORT)
async def get_export(
    agent: Agent,
    state: Shared,
    since: Text = None,
    cursor: Text = None,
    vectors: Flag = False,
    everything: Flag = False,
) -> wire_transfer.ExportPage:
    """Return a page of records, and under `next` the `cursor` of the following page.

    Contains what the agent may read; `everything` adds private memories of all agents. `since` omits records
    unchanged since then, `vectors` adds vectors.
    """
    try:
        changed = clock.given(since) if since else None
    except ValueError as error:
        raise Invalid("since is not an ISO time") from error

    if everything:
        caller.current().check(ADMIN)

    seal_key = await asyncio.to_thread(export.seal_key)

    def read(tx: ReadTx) -> export.RecordPage:
        reader = None if everything else agents.reader(tx, agent, any_scope=True)
        scope = export.Scope(reader=reader, since=changed, vectors=vectors, seal_key=seal_key)
        return export.page(tx, scope, cursor, now=clock.now())

    if cursor is None:
        taken = audit.by_caller(AuditAction.EXPORT, now=clock.now(), operation="export")
        await state.db.awrite(audit.record, [taken])
    page = await state.db.aread(read)
    if (noted := audited.SHOWN.get()) is not None:
        noted.update((str(one["id"]), None) for one in page.records if one["record"] == "memory")
    return {"records": page.records, "next": page.cursor}


@serves(wire_transfer.IMPORT)
async def post_import(body: ImportBody, ask: Ask) -> wire_transfer.Imported:
    """Import up to 1,000 records, each completely or not at all, and return the results; repeating it adds nothing.

    `vectors`: the file contains vectors, so none are created. With a name under `preview` nothing is written; all
    requests of a dry run share the name, and its last one sets `last`.
    """
    state = ask.state
    how = How(
        actor=replace(ask.actor(), origin=Origin.IMPORTED, may_claim=Origin.IMPORTED),
        rules=Rules.from_settings(state.settings),
        embed=not body.vectors,
        seal_key=await asyncio.to_thread(export.seal_key),
    )
    known, refused = await _parsed(body.records, ask)
    outcomes = dict(refused)
    records = [record for _, record in known]
    ready, masked = await asyncio.to_thread(take.prepared, records, how)
    taken = await _taken(state, ready, body, how)
    outcomes.update(zip((index for index, _ in known), taken, strict=True))
    tally = Tally()
    for index, record in enumerate(body.records):
        tally.add(str(record.get("record")), outcomes[index].fate)
    imported: wire_transfer.Imported = {
        "new": tally.count(Fate.NEW),
        "known": tally.count(Fate.KNOWN),
        "forgotten": tally.count(Fate.FORGOTTEN),
        "refused": tally.count(Fate.REFUSED),
        "kinds": tally.by_kind(),
        "reasons": [
            {"index": index, "reason": outcomes[index].reason}
            for index in sorted(outcomes)
            if outcomes[index].fate is Fate.REFUSED
        ],
    }
    if masked:
        imported["masked"] = list(masked)
    return imported


async def _taken(
    state: State, records: list[Record | take.ImportText], body: ImportBody, how: How
) -> list[ImportOutcome]:
    """Import records in short transactions, so that others can write between them."""
    if body.preview is None:
        outcomes: list[ImportOutcome] = []
        for some in take.slices(records):
            outcomes += await state.db.awrite(take.take, some, how=how, now=clock.now())
        return outcomes
    folder = state.workspace.daemon_dir
    look = partial(take.preview, state.db.path, folder, body.preview, records)
    found = await asyncio.to_thread(look, how=how, now=clock.now())
    if body.last:
        await asyncio.to_thread(take.end_preview, folder, body.preview)
    return found


async def _parsed(
    records: list[dict[str, object]], ask: Asker
) -> tuple[list[tuple[int, Record | take.ImportText]], dict[int, ImportOutcome]]:
    """Return the valid records with their positions, and the errors of others."""
    known: list[tuple[int, Record | take.ImportText]] = []
    refused: dict[int, ImportOutcome] = {}
    for index, record in enumerate(records):
        if record.get("record") != TEXT:
            known.append((index, record))
            continue
        try:
            body = TextBody.model_validate(record)
        except ValidationError as error:
            first = error.errors()[0]
            reason = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
            refused[index] = ImportOutcome(fate=Fate.REFUSED, reason=reason)
            continue
        text = (await filed(body, ask.state)).model_copy(update=_NOT_IN_TEXTS)
        new = new_memory(text, await ask.agent(body), ask.actor().name)
        known.append(
            (index, take.ImportText(new=new, path=body.source_path, section=body.source_section))
        )
    return known, refused
