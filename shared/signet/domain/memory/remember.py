"""Save a text: insert it, or return the memory that already has it.

`remember` does everything in the caller's transaction, so that no crash leaves a memory without its jobs. Every save
runs it, so it uses few statements: it inserts first, and searches only if the insert is refused.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.graph import link
from signet.domain.memory import dates, derived, forgotten, history, lookup, marks, origin, wording
from signet.domain.memory.lookup import Unknown, ValueForgotten
from signet.domain.memory.models import (
    Actor,
    Draft,
    Event,
    ExtractionStatus,
    Inserted,
    Memory,
    NewMemory,
    Patch,
    Remembered,
    Rules,
)
from signet.domain.memory.modify import hold_again, modify, supersede
from signet.domain.memory.sql import memories
from signet.domain.memory.wording import TRAILING, Normalized, composed, normalize
from signet.domain.transcripts import stored as transcripts
from signet.domain.transcripts import withheld
from signet.errors import Frozen, Invalid
from signet.text import masking
from signet.wire.origin import SPEAKERS, STRANGERS, Origin, Review, lowest, may_replace

#: A hint of another length is not a question.
HINT_CHARS = range(5, 301)

#: The importance of a memory saved without one.
DEFAULT_IMPORTANCE = 0.8

#: The source type of a piece of a long text; its source ID is the group.
CHUNK = "chunk"

#: The namespace for group IDs; the same source always gets the same ID.
_GROUPS = uuid.UUID("5f0b2a3c-1c0e-4c7e-9a5e-6d2f5f0c9b11")


class _By(NamedTuple):
    """The author, rules and time of a save."""

    actor: Actor
    rules: Rules
    now: datetime


def remember(
    tx: WriteTx, new: NewMemory, *, actor: Actor, rules: Rules, now: datetime
) -> Remembered:
    """Save a text, or return the memory that already has it.

    Raises Frozen; Invalid for an empty text, an importance outside 0..1, or an unreadable memory to supersede;
    ForgottenValue for a forgotten text that no user asked to save; ScopeDenied for a memory of another owner.
    """
    if rules.frozen:
        raise Frozen
    if rules.masks and new.masked is None:
        new = without_secrets(new)
    draft = _draft(new, actor, rules, now)
    if new.supersedes:
        _check_replaceable(tx, new)
    if new.transcript and new.source_id:
        spoken = new.spoken or (draft.created_at, draft.created_at)
        transcripts.keep_text(
            tx,
            draft.agent_id,
            new.source_id,
            new.transcript,
            harness=new.harness,
            project=draft.project,
            spoken=spoken,
        )
    by = _By(actor, rules, now)
    known = _of_source(tx, draft) if draft.source_id and not new.keeps_versions else None
    if known:
        saved = _rewritten(tx, known, draft, by)
    elif len(draft.content) > rules.max_chars:
        saved = _save_pieces(tx, draft, by)
    else:
        saved = _save(tx, draft, by)
    if new.masked:
        saved = replace(saved, masked=new.masked)
    if new.origin and draft.origin is not new.origin:
        saved = replace(saved, claimed=new.origin)
    return _supersede(tx, new, saved, actor=actor, now=now) if new.supersedes else saved


def without_secrets(new: NewMemory) -> NewMemory:
    """Return the text, hints, transcript and attributes with masked secrets, and the kinds of these."""
    kinds: dict[str, None] = {}

    def clean(text: str) -> str:
        masked = masking.mask(text)
        kinds.update(dict.fromkeys(masked.kinds))
        return masked.text

    content = clean(new.content)
    if new.hints or new.transcript or new.told:
        new = replace(
            new,
            hints=tuple(map(clean, new.hints)),
            transcript=clean(new.transcript) if new.transcript else new.transcript,
            told=new.told and link.mapped(new.told, clean),
        )
    return replace(new, content=content, masked=tuple(kinds))


def insert_fact(
    tx: WriteTx,
    *,
    content: str,
    type: str,
    confidence: float,
    source: Memory,
    extraction_model: str,
    embedding_model: str | None,
    metadata: Mapping[str, object],
    review: Review | None = None,
    actor: Actor,
    now: datetime,
) -> Inserted:
    """Insert a fact extracted from `source`, with its `created` event; `review` asks a person to decide about it.

    It has the owner, visibility, scope, project and time of its source. Returns an active memory with the same text
    instead of a second one. Raises Invalid for an empty text, and ForgottenValue.
    """
    said_at = min(clock.parsed(source.created_at) or now, now)
    draft = Draft(
        content=content,
        type=type,
        importance=min(max(confidence, 0.0), 1.0),
        confidence=confidence,
        agent_id=source.agent_id,
        visibility=source.visibility,
        scope=source.scope,
        project=source.project,
        session_id=source.session_id,
        origin=lowest(Origin.INFERRED, source.origin),
        who="pipeline-v2",
        why="extracted-fact",
        source_type="pipeline-v2",
        source_id=source.id,
        updated_by=actor.name,
        created_at=said_at,
        event_at=dates.told_day(content, said_at) or source.event_at,
        extraction_status=ExtractionStatus.COMPLETED,
        extraction_model=extraction_model,
        embedding_model=embedding_model,
    )
    return insert(tx, draft, actor=actor, now=now, metadata=metadata, least_review=review)


def save_told(
    tx: WriteTx, draft: Draft, *, actor: Actor, rules: Rules, now: datetime
) -> Remembered:
    """Save a statement distilled from a session, with links and jobs like any saved text. Raises ForgottenValue."""
    return _save(tx, draft, _By(actor, rules, now))


def insert(
    tx: WriteTx,
    draft: Draft,
    *,
    actor: Actor,
    now: datetime,
    metadata: Mapping[str, object] | None = None,
    least_review: Review | None = None,
) -> Inserted:
    """Insert a row with its `created` event, or return the owner's active memory with this text.

    Raises ForgottenValue.
    """
    text = _normalized(draft.content)
    review = origin.review(draft.origin, text.storage, draft.type) or least_review
    memory_id = _put(tx, draft, text, review, actor=actor, now=now, metadata=metadata)
    if memory_id is None:
        return Inserted(id=_holder(tx, draft, text).id, deduped=True)
    return Inserted(id=memory_id, deduped=False)


def _draft(new: NewMemory, actor: Actor, rules: Rules, now: datetime) -> Draft:
    """Set every field to the requested value or its default (MEM-6); strangers' texts are never pinned (MEM-64)."""
    importance = DEFAULT_IMPORTANCE if new.importance is None else new.importance
    if not 0.0 <= importance <= 1.0:
        raise Invalid("importance must be between 0 and 1")
    words = origin.decided(new.origin, new.source_type, by=actor.origin, may_claim=actor.may_claim)
    pinned = new.pinned and words not in STRANGERS
    return Draft.from_new(
        new,
        type=new.type or wording.infer_type(new.content),
        importance=importance,
        visibility=new.readers,
        scope=new.scope or None,
        origin=words,
        # An agent may repeat it from the session in which it was forgotten.
        is_asked=new.is_asked and words is Origin.USER,
        why="explicit-critical" if pinned else "explicit",
        source_id=new.source_id or None,
        tags=new.tags or (),
        pinned=pinned,
        created_at=min(new.created_at or now, now),
        event_at=clock.to_text(new.event_at) if new.event_at else None,
        updated_by=new.who,
        extraction_status=ExtractionStatus.PENDING if rules.extract else ExtractionStatus.NONE,
        idempotency_key=new.idempotency_key or None,
    )


def _check_replaceable(tx: WriteTx, new: NewMemory) -> None:
    for memory_id in new.supersedes:
        try:
            is_gone = lookup.known(tx, memory_id, agent_id=new.agent_id).is_deleted
        except Unknown:
            is_gone = True
        if is_gone:
            raise Invalid("supersedes names a memory that does not exist", id=memory_id)


def _supersede(
    tx: WriteTx, new: NewMemory, saved: Remembered, *, actor: Actor, now: datetime
) -> Remembered:
    """Supersede the memories that the saved one corrects.

    An idempotency key may have found a forgotten memory, which supersedes nothing.
    """
    held = memories.by_id(tx, saved.id)
    if held is None or held.is_deleted:
        return saved
    refused = [one for one in new.supersedes if not _may_replace(tx, held, one)]
    replaced = supersede(
        tx,
        [one for one in new.supersedes if one not in refused],
        by=saved.id,
        at=now,
        actor=actor,
        reason="corrected",
        valid_from=new.event_at,
    )
    return replace(saved, superseded=(*saved.superseded, *replaced), not_superseded=tuple(refused))


def _may_replace(tx: WriteTx, held: Memory, old_id: str) -> bool:
    """Return whether a memory may supersede another: not while it waits for review, nor with a less trusted origin."""
    old = memories.by_id(tx, old_id)
    if old is None or held.review is Review.WAITING:
        return old is None
    return held.origin in SPEAKERS or may_replace(held.origin, old.origin)


def _save(tx: WriteTx, draft: Draft, by: _By) -> Remembered:
    text = _normalized(draft.content)
    if draft.event_at is None and (day := dates.told_day(text.flat, draft.created_at)):
        draft = replace(draft, event_at=day)
    review = origin.review(draft.origin, text.storage, draft.type)
    memory_id = _put(tx, draft, text, review, actor=by.actor, now=by.now)
    if memory_id is None:
        held = _holder(tx, draft, text)
        again = _said_again(tx, held, draft, by)
        lifted = () if held.is_deleted else _lift(tx, draft, text)
        saved = _rewritten(tx, _vouched(tx, held, draft), draft, by)
        return replace(saved, superseded=again, lifted=lifted)
    kept = [hint for raw in draft.hints if len(hint := raw.strip()) in HINT_CHARS]
    agent_id, rules, now = draft.agent_id, by.rules, by.now
    written = marks.add_hints(tx, memory_id, kept, agent_id=agent_id, at=now) if kept else 0

    def link_text() -> int:
        linked = link.apply(tx, memory_id, text.flat, agent_id, now)
        told = draft.told
        return link.apply_input(tx, memory_id, told, agent_id, now) if told else linked

    linked = tx.optional("link", link_text, otherwise=0)
    wanted, embed = rules.extract, rules.embed
    marks.queue_reading(tx, memory_id, agent_id, rules, now, extract=wanted, embed=embed)
    return Remembered(
        id=memory_id,
        type=draft.type,
        tags=draft.tags,
        pinned=draft.pinned,
        importance=draft.importance,
        content=text.storage,
        deduped=False,
        entities_linked=linked,
        hints_written=written,
        lifted=_lift(tx, draft, text),
        origin=draft.origin,
        review=review,
    )


def _lift(tx: WriteTx, draft: Draft, text: Normalized) -> tuple[str, ...]:
    """Lift forgotten values that a user states again."""
    if not draft.is_asked:
        return ()
    withheld.say_again(tx, draft.agent_id, text.storage)
    return forgotten.lift_said(tx, draft.agent_id, draft.scope, text.storage)


def _save_pieces(tx: WriteTx, whole: Draft, by: _By) -> Remembered:
    """Save a long text as pieces of one group, without existing pieces (MEM-11 to MEM-13).

    The first piece has the idempotency key, hints and attributes of the whole.
    """
    key = whole.idempotency_key
    known = memories.by_key(tx, key, whole.agent_id) if key else None
    if known:
        return _repeated(known)
    group_id = _group_of(whole)
    piece = replace(whole, source_type=CHUNK, source_id=group_id)
    if memories.by_group(tx, piece):  # pieces of an earlier text of this source
        group_id = ids.new_ordered_id()
        piece = replace(piece, source_id=group_id)
    saved: list[Remembered] = []
    refusal: ValueForgotten | None = None
    for ordinal, text in enumerate(wording.split_text(whole.content, by.rules.chunk_chars)):
        try:
            saved.append(_save(tx, replace(piece, content=text, ordinal=ordinal), by))
        except ValueForgotten as refused:
            refusal = refused
            continue
        piece = replace(piece, idempotency_key=None, hints=(), told=None)
    if not saved and refusal:
        raise refusal
    new = tuple(piece.id for piece in saved if not piece.deduped)
    if new:
        link.group(tx, group_id, new, agent_id=whole.agent_id, now=by.now)
    return replace(
        saved[0],
        deduped=not new,
        entities_linked=sum(piece.entities_linked for piece in saved),
        lifted=tuple(dict.fromkeys(id_ for piece in saved for id_ in piece.lifted)),
        is_chunked=True,
        ids=new,
        group_id=group_id if new else None,
    )


def _of_source(tx: WriteTx, draft: Draft) -> Memory | None:
    """Return the memory saved from the draft's source, for a long text its first piece."""
    whole = memories.by_source(tx, draft)
    return whole or memories.by_group(
        tx, replace(draft, source_type=CHUNK, source_id=_group_of(draft))
    )


def _group_of(whole: Draft) -> str:
    """Return the ID of a long text's group of pieces, always the same for the same source."""
    if not whole.source_id:
        return ids.new_ordered_id()
    owner = (whole.agent_id, str(whole.visibility), whole.scope)
    source = (whole.source_type, whole.source_id, whole.ordinal)
    return str(uuid.uuid5(_GROUPS, json.dumps((owner, source))))


def _put(
    tx: WriteTx,
    draft: Draft,
    text: Normalized,
    review: Review | None,
    *,
    actor: Actor,
    now: datetime,
    metadata: Mapping[str, object] | None = None,
) -> str | None:
    """Insert a row with its first history entry and return its ID; None for a duplicate. Raises ForgottenValue."""
    if not draft.is_asked:
        forgotten.check(tx, draft, text.storage)
    memory_id = ids.new_ordered_id()
    if not memories.insert(tx, memory_id, draft, text, review):
        return None
    why = (actor, now, draft.why, metadata)
    history.record(tx, memory_id, Event.CREATED, *why, new=text.storage)
    return memory_id


def _holder(tx: WriteTx, draft: Draft, text: Normalized) -> Memory:
    """Return the row with the same idempotency key, else with the same text."""
    key = draft.idempotency_key
    found = memories.by_key(tx, key, draft.agent_id) if key else None
    found = found or memories.by_hash(tx, draft, text.content_hash)
    assert found is not None, "only these two keys of a memory can be taken"
    return found


def _said_again(tx: WriteTx, held: Memory, draft: Draft, by: _By) -> tuple[str, ...]:
    """Make a superseded text current again; return what it supersedes now. A repeated request changes nothing."""
    if draft.idempotency_key and memories.by_key(tx, draft.idempotency_key, draft.agent_id):
        return ()
    if draft.source_type == derived.SESSION_END and draft.source_id:
        derived.found_in_session(tx, held.id, draft.source_id)
    derived.saved_too(tx, held.id, by.actor)
    return tuple(hold_again(tx, held.id, told_at=draft.created_at, at=by.now, actor=by.actor))


def _vouched(tx: WriteTx, held: Memory, draft: Draft) -> Memory:
    """Return the memory with this text, now as the user's if the user states it too."""
    if draft.origin is not Origin.USER or held.origin is Origin.USER or held.is_deleted:
        return held
    review = Review.APPROVED if held.review else None
    memories.set_origin(tx, held.id, Origin.USER, review)
    return replace(held, origin=Origin.USER, review=review)


def _rewritten(tx: WriteTx, held: Memory, draft: Draft, by: _By) -> Remembered:
    """Return the memory found for a repeated save, with the newer spelling of its text (MEM-8)."""
    saved = _repeated(held)
    text = normalize(draft.content)
    is_newer = draft.created_at >= (clock.parsed(held.created_at) or by.now)
    if (
        held.is_deleted
        or held.content_hash != text.content_hash
        or not is_newer
        or not may_replace(draft.origin, held.origin)
        or not _corrects(text, normalize(held.content))
    ):
        return saved
    writer, owner = replace(by.actor, origin=draft.origin), held.agent_id
    patch = Patch(memory_id=held.id, agent_id=owner, reason="other writing", masked=())
    patch = replace(patch, content=text.storage)
    modify(tx, patch, actor=writer, rules=by.rules, now=by.now)
    return replace(saved, content=text.storage, is_rewritten=True)


def _corrects(new: Normalized, old: Normalized) -> bool:
    """Return whether `new` corrects `old`: not if it only lost line breaks or a full stop."""
    later, earlier = (composed(one.storage).rstrip(TRAILING) for one in (new, old))
    lost_lines = "\n" in earlier and "\n" not in later and new.canonical == old.canonical
    return later != earlier and not lost_lines


def _normalized(content: str) -> Normalized:
    text = normalize(content)
    if not text.storage:
        raise Invalid("content is required")
    return text


def _repeated(memory: Memory) -> Remembered:
    """Return an existing memory as the answer to a save; raises ScopeDenied for another owner's."""
    lookup.check_owner(memory)
    return Remembered(
        id=memory.id,
        type=memory.type,
        tags=memory.tags,
        pinned=memory.pinned,
        importance=memory.importance,
        content=memory.content,
        deduped=True,
        embedded=True,
        origin=memory.origin,
        review=memory.review,
    )
