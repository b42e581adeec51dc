"""Change a memory in one transaction, and let one memory supersede others.

A new text replaces links, hints and vectors of the old one; jobs compute the new vector and facts, so that no caller
waits for a model.

A superseded memory stays in history and in recall, ranked after its successor, with its period of validity. Only the
link is stored (`superseded_by`, `valid_from`, `valid_to`): a memory is superseded while one of its successors is
active. A chain never closes: a superseded memory that replaces its successor is current again.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from signet import clock
from signet.db import ReadTx, WriteTx, fts
from signet.db.dialect import as_list
from signet.db.visibility import Where
from signet.domain.embeddings import vectors
from signet.domain.graph import changes as later
from signet.domain.graph import link, voice
from signet.domain.memory import dates, derived, forgotten, history, lookup, marks, origin, wording
from signet.domain.memory.lookup import Refused, check_version
from signet.domain.memory.models import (
    PIPELINE,
    Actor,
    Changed,
    Event,
    ExtractionStatus,
    Memory,
    Outcome,
    Patch,
    Rules,
)
from signet.domain.memory.sql import memories
from signet.domain.memory.sql import sources as sql
from signet.domain.memory.sql.sources import Link
from signet.domain.memory.wording import Normalized
from signet.domain.transcripts import withheld
from signet.errors import Frozen, Invalid, NotFound
from signet.ids import space_of
from signet.text import masking
from signet.wire.origin import Origin, Review, lowest


def modify(tx: WriteTx, patch: Patch, *, actor: Actor, rules: Rules, now: datetime) -> Changed:
    """Change the stated fields of a memory, with an `updated` event.

    Raises Invalid for a blank text, Frozen, and in this order Unknown and Refused: deleted, another version, the
    text of another memory (MEM-25); last ForgottenValue, for the pipeline.
    """
    if rules.masks and patch.masked is None:
        patch = without_secrets(patch)
    text = None if patch.content is None else wording.normalize(patch.content)
    if text is not None and not text.storage:
        raise Invalid("content is required")
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, patch.memory_id, agent_id=patch.agent_id)
    if memory.is_deleted:
        raise Refused(memory.id, memory.version, "deleted")
    check_version(memory, patch.if_version)
    fields = changes(memory, patch, text)
    if "project" in fields or text is not None:
        moved = memory if patch.project is None else replace(memory, project=patch.project or None)
        _check_alone(tx, moved, text or wording.normalize(memory.content))
    version = memory.version
    if not fields:
        return Changed(
            id=memory.id, status=Outcome.NO_CHANGES, current_version=version, new_version=None
        )
    is_own = space_of(memory.visibility) is None or patch.agent_id == memory.agent_id
    is_new_text = text is not None and "content" in fields
    lifted = _lifted(tx, memory, text.storage, actor) if is_own and text and is_new_text else ()
    memories.patch(tx, memory.id, fields, by=actor.name, at=now)
    if "project" in fields:
        of_it = [memory.id, *(one for one, _ in derived.along(tx, [memory.id]).goes)]
        tx.run(memories.FILE, (patch.project or None, as_list(of_it)))
    derived.own(tx, memory.id, actor)
    if text is not None and "content" in fields:
        _rewrite(tx, memory, text, actor=actor, rules=rules, now=now)
        _credit(tx, memory, text.storage, actor)
    said = {
        "changedFields": list(fields),
        "ifVersion": patch.if_version,
        "contentChanged": "content" in fields,
        "before": {name: _sent(memory, name) for name in fields if name != "content"},
    }
    if is_new_text:
        _renew(tx, memory.agent_id, actor, now)
    old, new = memory.content, text.storage if text else memory.content
    history.record(tx, memory.id, Event.UPDATED, actor, now, patch.reason, said, old=old, new=new)
    return Changed(
        id=memory.id,
        status=Outcome.UPDATED,
        current_version=memory.version,
        new_version=memory.version + 1,
        content_changed="content" in fields,
        masked=patch.masked or (),
        lifted=lifted,
    )


def _sent(memory: Memory, name: str) -> object:
    """Return a field in the form of a patch: no project is an empty text."""
    value = getattr(memory, name)
    return "" if name == "project" and value is None else value


def without_secrets(patch: Patch) -> Patch:
    masked = masking.mask(patch.content or "")
    content = None if patch.content is None else masked.text
    return replace(patch, content=content, masked=masked.kinds)


def changes(memory: Memory, patch: Patch, text: Normalized | None) -> dict[str, object]:
    """Return the fields whose values the patch changes. Pure."""
    asked = {
        "content": text.storage if text else None,
        "type": patch.type,
        "tags": patch.tags,
        "importance": patch.importance,
        "pinned": patch.pinned,
        "who": patch.who,
        "project": patch.project,
    }
    return {
        name: value
        for name, value in asked.items()
        if value is not None and value != ("" if (old := getattr(memory, name)) is None else old)
    }


def _lifted(tx: WriteTx, memory: Memory, text: str, actor: Actor) -> tuple[str, ...]:
    """Lift forgotten values that a person writes again; raises ForgottenValue for other writers."""
    if actor.origin is not Origin.USER:
        forgotten.check(tx, memory, text)
        return ()
    return forgotten.lift_said(tx, memory.agent_id, memory.scope, text)


def _check_alone(tx: WriteTx, memory: Memory, text: Normalized) -> None:
    """Raise Refused if another memory has this text, unless that was read from this one."""
    twin = memories.twin(tx, memory, text.content_hash)
    if twin is not None and twin not in dict(derived.along(tx, [memory.id]).goes):
        raise Refused(memory.id, memory.version, "duplicate_content_hash", duplicateMemoryId=twin)


_CHANGED = "the text that replaced it was changed"


def _rewrite(
    tx: WriteTx, memory: Memory, text: Normalized, *, actor: Actor, rules: Rules, now: datetime
) -> None:
    """Store the new text, drop all data derived from the old one, and queue its extraction (MEM-27)."""
    derived.retire(tx, memory, actor=actor, at=now)
    memories.rewrite(tx, memory.id, text, _event_at(memory, text, now))
    if marks.drop_hints(tx, memory.id):
        marks.want_hints(
            tx, [memory.id], agent_id=memory.agent_id, now=now, attempts=rules.attempts
        )
    vectors.remove(tx, memory.id)
    relink = partial(link.relink, tx, memory.id, text.flat, memory.agent_id, now)
    tx.optional("link", relink, otherwise=0)
    extract = rules.extract and was_read(tx, memory)
    if extract:
        marks.set_extraction(tx, memory.id, ExtractionStatus.PENDING, None)
        for old in tx.rows(
            Link, sql.LINKED, (memory.id,)
        ):  # the job that reads the text decides again
            _link(tx, old, None, None, at=now, actor=actor, reason=_CHANGED)
    owner, embed = memory.agent_id, rules.embed
    marks.queue_reading(tx, memory.id, owner, rules, now, extract=extract, embed=embed)


def was_read(tx: ReadTx, memory: Memory) -> bool:
    """Return whether facts are extracted from a memory; not if it is a fact itself."""
    is_derived = tx.value(sql.IS_DERIVED, (memory.id,)) is not None
    return memory.extraction_status != ExtractionStatus.NONE and not is_derived


def _credit(tx: WriteTx, memory: Memory, text: str, actor: Actor) -> None:
    """Store the origin after an edit: the lowest of both. A person's edit needs no review."""
    words = lowest(memory.origin, actor.origin)
    review = origin.review(words, text, memory.type)
    if review and actor.origin is Origin.USER:
        review = Review.APPROVED
    if (words, review) != (memory.origin, memory.review):
        memories.set_origin(tx, memory.id, words, review)


def _event_at(memory: Memory, text: Normalized, now: datetime) -> str | None:
    """Return the time of the event: from the new text, if the previous time came from the old text."""
    written_at = clock.parsed(memory.created_at) or now
    if memory.event_at != dates.told_day(wording.one_line(memory.content), written_at):
        return memory.event_at
    return dates.told_day(text.flat, written_at)


def supersede(
    tx: WriteTx,
    old_ids: Sequence[str],
    *,
    by: str,
    at: datetime,
    actor: Actor,
    reason: str | None = None,
    valid_from: datetime | None = None,
) -> list[str]:
    """Let the memory `by` supersede others from `valid_from` (by default its own, else `at`); return which.

    Ignores unknown and forgotten ones, `by` itself, those of another owner or scope, and those that it superseded
    before. Each change is one `updated` event. Raises NotFound if `by` is not active.
    """
    new = tx.row(Link, sql.ONE, (by,))
    if new is None:
        raise NotFound("superseding memory not found", memoryId=by)
    found = tx.rows(Link, sql.OLD, (as_list(dict.fromkeys(old_ids)),))
    replaced = [old for old in found if _may_replace(new, old)]
    if not replaced:
        return []
    facts = _read_from(tx, new, replaced)
    link = partial(_link, tx, at=at, actor=actor, reason=reason)
    if {old.id for old in replaced} & set(tx.column(sql.CHAIN, (by,))):
        link(new, None, None)
    begins = clock.to_text(valid_from) if valid_from else new.valid_from or clock.to_text(at)
    tx.run(sql.BEGIN, (begins, by))
    for old in (*replaced, *facts):
        link(old, by, begins)
    _renew(tx, new.agent_id, actor, at)
    return [old.id for old in replaced]


def _renew(tx: WriteTx, agent_id: str, actor: Actor, now: datetime) -> None:
    """Queue the removal of the old text from MEMORY.md; after a person's change the file is written again."""
    withheld.queue(tx, agent_id, is_back=actor.type != PIPELINE, now=now)


def hold_again(
    tx: WriteTx, memory_id: str, *, told_at: datetime, at: datetime, actor: Actor
) -> list[str]:
    """Let a superseded memory that was stated again supersede its successors; return which."""
    row = tx.one(sql.ENDED, (memory_id,))
    ended = clock.parsed(row[0]) if row else None
    if row is None or (ended is not None and told_at < ended):
        return []
    last = tx.column(sql.CURRENT, (as_list(tx.column(sql.CHAIN, (memory_id,))),))
    return supersede(
        tx, last, by=memory_id, at=at, actor=actor, reason="said again", valid_from=told_at
    )


def is_current() -> Where:
    """Return the condition that nothing supersedes a row of `memories` (`m`)."""
    return Where(f"NOT {sql.REPLACED.format(alias='m')}")


def _read_from(tx: WriteTx, new: Link, replaced: Sequence[Link]) -> list[Link]:
    """Return facts derived only from superseded memories: those that the new text contradicts, else the nearest."""
    goes = derived.along(tx, [old.id for old in replaced]).goes
    links = tx.rows(Link, sql.OLD, (as_list(memory_id for memory_id, _ in goes),))
    facts = [old for old in links if old.superseded_by is None and _may_replace(new, old)]
    *olds, said = [voice.third_person(one.content, voice.USER) for one in (*facts, new)]
    texts = [later.Dated(text=one, said_at="before") for one in olds]
    found = later.find([*texts, later.Dated(text=said, said_at="now")], len(facts))
    shared = [len(set(fts.words(one)) & set(fts.words(said))) for one in olds]
    return [
        facts[at]
        for at, count in enumerate(shared)
        if at in found or (not found and count == max(shared))
    ]


def _may_replace(new: Link, old: Link) -> bool:
    return (
        old.id != new.id
        and old.superseded_by != new.id
        and (old.agent_id, old.scope) == (new.agent_id, new.scope)
        and space_of(old.visibility) == space_of(new.visibility)
    )


def _link(
    tx: WriteTx,
    old: Link,
    by: str | None,
    until: str | None,
    *,
    at: datetime,
    actor: Actor,
    reason: str | None,
) -> None:
    tx.run(sql.LINK, (by, until, clock.to_text(at), actor.name, old.id))
    fields = ["superseded_by", "valid_to"]
    said = {"changedFields": fields, "contentChanged": False, "supersededBy": by, "validTo": until}
    text = old.content
    history.record(tx, old.id, Event.UPDATED, actor, at, reason, said, old=text, new=text)
