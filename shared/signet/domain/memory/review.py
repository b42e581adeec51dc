"""Decisions of a person about a memory: review of doubtful ones (MEM-64), recovery, and verdicts."""

from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx, cursor
from signet.db.visibility import Reader
from signet.domain.embeddings import vectors
from signet.domain.memory import derived, forget, history, lookup, marks, wording
from signet.domain.memory.lookup import Refused, check_version
from signet.domain.memory.models import (
    Actor,
    Along,
    Changed,
    Event,
    ExtractionStatus,
    Forget,
    Memory,
    Outcome,
    Recover,
    Rules,
)
from signet.domain.memory.modify import supersede
from signet.domain.memory.sql import memories, sources
from signet.errors import Forbidden, Frozen, Invalid
from signet.wire.origin import Origin, Review

REJECTED, APPROVED = "rejected in review", "approved in review"
#: The reason in history for a replacement refused because of its origin (MEM-63).
REFUSED = "replacement refused: words of a lower origin"


class NotAPerson(Forbidden, code="needs_a_person"):
    """Only a person approves or rejects: the command line, or a program with the permission to speak for the user."""


class Waiting(NamedTuple):
    """Memories that wait for a review, the cursor of the next ones, and the number of all."""

    memories: list[Memory]
    next: str | None
    total: int


def waiting(tx: ReadTx, reader: Reader, *, limit: int, after: str | None = None) -> Waiting:
    """Return a page of waiting memories, newest first; raises BadCursor."""
    place = cursor.read(after, str, str) if after else ()
    found = memories.waiting(tx, reader, limit=limit + 1, after=place)
    some, following = cursor.cut(found, limit, lambda one: (one.created_at, one.id))
    return Waiting(some, following, memories.count_waiting(tx, reader))


def refused(
    tx: WriteTx, memory_id: str, old_id: str, *, actor: Actor, why: str, now: datetime
) -> None:
    """Record once that a memory may not supersede another on its own, and let a person decide (MEM-63)."""
    memory = lookup.find(tx, memory_id)
    if memory is None or memory.is_deleted or old_id in replaces(tx, memory_id):
        return
    said = {"proposedAction": "supersede", "targetMemoryId": old_id, "method": why}
    history.record(tx, memory_id, Event.NONE, actor, now, REFUSED, said)
    if memory.review is None:
        memories.set_origin(tx, memory_id, memory.origin, Review.REPLACES)


def replaces(tx: ReadTx, memory_id: str) -> list[str]:
    """Return the IDs of the memories that this one was not allowed to supersede."""
    said = history.proposals(tx, memory_id, REFUSED)
    return [str(one["targetMemoryId"]) for one in said if "targetMemoryId" in one]


def count_waiting(tx: ReadTx) -> int:
    return memories.count_waiting(tx, None)


def approve(
    tx: WriteTx, memory_id: str, *, agent_id: str, actor: Actor, rules: Rules, now: datetime
) -> Changed:
    """Allow a memory to be injected, as data with its origin, and queue its extraction.

    A refused replacement is made. Raises NotAPerson, Unknown and Refused.
    """
    memory = _waiting(tx, memory_id, agent_id, actor)
    memories.set_origin(tx, memory.id, memory.origin, Review.APPROVED)
    said, text = {"changedFields": ["review"], "contentChanged": False}, memory.content
    history.record(tx, memory.id, Event.UPDATED, actor, now, APPROVED, said, old=text, new=text)
    if memory.review is Review.REPLACES:
        old = replaces(tx, memory.id)
        supersede(tx, old, by=memory.id, at=now, actor=actor, reason=APPROVED)
    else:
        owner, extract = memory.agent_id, rules.extract
        marks.queue_reading(tx, memory.id, owner, rules, now, extract=extract, embed=False)
    version = memory.version
    return Changed(id=memory.id, status=Outcome.UPDATED, current_version=version, new_version=None)


def reject(
    tx: WriteTx, memory_id: str, *, agent_id: str, actor: Actor, rules: Rules, now: datetime
) -> Changed:
    """Forget a memory as wrong, so that its text is not saved again. Raises NotAPerson, Unknown and Refused."""
    memory = _waiting(tx, memory_id, agent_id, actor)
    asked = Forget(
        memory_id=memory.id, reason=REJECTED, agent_id=agent_id, force=True, is_wrong=True
    )
    return forget.forget_one(tx, asked, actor=actor, rules=rules, now=now)


def _waiting(tx: WriteTx, memory_id: str, agent_id: str, actor: Actor) -> Memory:
    if actor.may_claim is not Origin.USER:
        raise NotAPerson
    memory = lookup.known(tx, memory_id, agent_id=agent_id)
    if memory.is_deleted or memory.review not in (Review.WAITING, Review.REPLACES):
        raise Refused(memory.id, memory.version, "not_waiting")
    return memory


def recover(tx: WriteTx, asked: Recover, *, actor: Actor, rules: Rules, now: datetime) -> Changed:
    """Make a forgotten memory active again, with the memories that were hidden with it.

    Raises Invalid without a reason, Frozen, and in this order Unknown and Refused: not forgotten, another version,
    forgotten too long ago, or its text was saved again (MEM-39).
    """
    if not asked.reason.strip():
        raise Invalid("reason is required")
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, asked.memory_id, agent_id=asked.agent_id)
    if not memory.is_deleted:
        raise Refused(memory.id, memory.version, "not_deleted")
    check_version(memory, asked.if_version)
    if not is_kept(memory.deleted_at, now, rules.recover_within):
        raise Refused(memory.id, memory.version, "retention_expired")
    twin = memories.twin(tx, memory, wording.content_hash(memory.content))
    if twin is not None:
        raise Refused(memory.id, memory.version, "duplicate_content_hash", duplicateMemoryId=twin)
    kind = derived.ChangeKind.RECOVERED
    change = derived.Change(kind=kind, actor=actor, reason=asked.reason, at=now)
    window_ms = rules.recover_within // timedelta(milliseconds=1)
    metadata = {"ifVersion": asked.if_version, "retentionWindowMs": window_ms}
    derived.reactivate(tx, memory, change, metadata)
    forget.drop_deleted_copies(tx, memory.id)
    _resume(tx, memory, rules, now)
    if tx.value(sources.IS_WITHDRAWN, (memory.id,)) is not None:
        tx.run(sources.RELEASE, (memory.id,))
        derived.own(tx, memory.id, actor)
    back = derived.bring_back(tx, memory.id, change)
    for one in back:
        _resume(tx, one, rules, now)
    return Changed(
        id=memory.id,
        status=Outcome.RECOVERED,
        current_version=memory.version,
        new_version=memory.version + 1,
        along=Along(goes=tuple((one.id, one.content) for one in back)),
    )


def is_kept(deleted_at: str | None, now: datetime, window: timedelta) -> bool:
    try:
        return now - clock.parse(deleted_at or "") <= window
    except ValueError:
        return False


def until(deleted_at: str | None, window: timedelta) -> str | None:
    """Return the last instant at which a forgotten memory can be recovered; None without a valid time."""
    try:
        return clock.to_text(clock.parse(deleted_at or "") + window)
    except (ValueError, OverflowError):
        return None


def _resume(tx: WriteTx, memory: Memory, rules: Rules, now: datetime) -> None:
    """Queue the jobs that skipped the memory while it was forgotten."""
    extract = rules.extract and memory.extraction_status == ExtractionStatus.PENDING
    embed = rules.embed and vectors.gap(tx, memory.id) is not None
    owner = memory.agent_id
    marks.queue_reading(tx, memory.id, owner, rules, now, extract=extract, embed=embed)


#: The factor on the importance of a faded memory.
FADED = 0.5


class ReviewVerdict(StrEnum):
    """`keep`: the pipeline never changes it; `fade`: half the importance; `wrong`: forgotten as untrue."""

    KEEP = "keep"
    FADE = "fade"
    WRONG = "wrong"
    #: No verdict.
    NONE = "none"


class Judged(NamedTuple):
    """The newest verdict on a memory, and its importance and protection before that."""

    verdict: ReviewVerdict = ReviewVerdict.NONE
    importance: float = 0.0
    is_kept: bool = False


def judge(
    tx: WriteTx,
    memory_id: str,
    verdict: ReviewVerdict,
    *,
    agent_id: str,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> Changed:
    """Apply a verdict in place of the previous one; `none` undoes that. Recorded as `reviewed`.

    Raises NotAPerson, Frozen, Unknown, Refused for a memory forgotten otherwise, and what `recover` raises.
    """
    if actor.may_claim is not Origin.USER:
        raise NotAPerson
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, memory_id, agent_id=agent_id)
    before = last_verdict(tx, memory.id)
    if before.verdict is ReviewVerdict.WRONG and not memory.is_deleted:
        before = Judged()  # it was recovered
    if before.verdict is verdict:
        return _changed(memory, memory.version)
    if memory.is_deleted and before.verdict is not ReviewVerdict.WRONG:
        raise Refused(memory.id, memory.version, "deleted")
    fade = partial(memories.patch, tx, memory.id, by=actor.name, at=now)
    if memory.is_deleted:
        asked = Recover(memory_id=memory.id, reason=ReviewVerdict.NONE, agent_id=agent_id)
        recover(tx, asked, actor=actor, rules=rules, now=now)
    elif before.verdict is ReviewVerdict.FADE:
        fade({"importance": before.importance})
    elif before.verdict is ReviewVerdict.KEEP:
        tx.run(memories.SET_KEPT, (before.is_kept, memory.id))
    now_is = lookup.known(tx, memory_id, agent_id=agent_id)
    said = Judged(verdict, now_is.importance, now_is.manual_override)._asdict()
    history.record(tx, memory.id, Event.REVIEWED, actor, now, verdict, said)
    if verdict is ReviewVerdict.KEEP:
        tx.run(memories.SET_KEPT, (True, memory.id))
    elif verdict is ReviewVerdict.FADE:
        fade({"importance": now_is.importance * FADED})
    elif verdict is ReviewVerdict.WRONG:
        wrong = Forget(
            memory_id=memory.id, reason=verdict, agent_id=agent_id, force=True, is_wrong=True
        )
        forget.forget_one(tx, wrong, actor=actor, rules=rules, now=now)
    return _changed(memory, lookup.known(tx, memory_id, agent_id=agent_id).version)


def last_verdict(tx: WriteTx, memory_id: str) -> Judged:
    said = history.metadata_of_last(tx, memory_id, Event.REVIEWED)
    return Judged(**{**said, "verdict": ReviewVerdict(str(said["verdict"]))}) if said else Judged()


def _changed(memory: Memory, version: int) -> Changed:
    is_new = version != memory.version
    return Changed(
        id=memory.id,
        status=Outcome.UPDATED if is_new else Outcome.NO_CHANGES,
        current_version=memory.version,
        new_version=version if is_new else None,
    )
