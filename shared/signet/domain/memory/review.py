"""What waits for a person: memories that are not the user's and tell their reader what to do (MEM-64)."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.embeddings import vectors
from signet.domain.memory import derived, forget, history, lookup, wording
from signet.domain.memory.lookup import (
    Deleted,
    DuplicateContent,
    NotDeleted,
    Refused,
    RetentionExpired,
    check_version,
)
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
from signet.queue import Job, enqueue
from signet.wire.origin import Origin, Review

REJECTED, APPROVED = "rejected in review", "approved in review"
#: How history calls a replacement that was not made because of the origin of its words (MEM-63).
REFUSED = "replacement refused: words of a lower origin"


class NotWaiting(Refused):
    """The memory does not wait for a review."""

    code = "not_waiting"


class NotAPerson(Forbidden):
    """Only a person approves or rejects: the command line, or a program with the permission to speak for the user."""

    code = "needs_a_person"


def waiting(tx: ReadTx, reader: Reader, *, limit: int, offset: int) -> tuple[list[Memory], int]:
    found = memories.waiting(tx, reader, limit=limit, offset=offset)
    return found, memories.count_waiting(tx, reader)


def refused(
    tx: WriteTx, memory_id: str, old_id: str, *, actor: Actor, why: str, now: datetime
) -> None:
    """Record once that a memory may not supersede another on its own, and let a person decide (MEM-63)."""
    memory = lookup.find(tx, memory_id)
    if memory is None or memory.is_deleted or old_id in replaces(tx, memory_id):
        return
    said = {"proposedAction": "supersede", "targetMemoryId": old_id, "method": why}
    history.record(tx, memory_id, Event.NONE, actor=actor, at=now, reason=REFUSED, metadata=said)
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

    A refused replacement is made. Raises NotAPerson, Unknown and NotWaiting.
    """
    memory = _waiting(tx, memory_id, agent_id, actor)
    memories.set_origin(tx, memory.id, memory.origin, Review.APPROVED)
    history.record(
        tx,
        memory.id,
        Event.UPDATED,
        actor=actor,
        at=now,
        old=memory.content,
        new=memory.content,
        reason=APPROVED,
        metadata={"changedFields": ["review"], "contentChanged": False},
    )
    if memory.review is Review.REPLACES:
        old = replaces(tx, memory.id)
        supersede(tx, old, by=memory.id, at=now, actor=actor, reason=APPROVED)
    elif rules.extract:
        job = Job(kind="extract", memory_id=memory.id, agent_id=memory.agent_id)
        enqueue(tx, job, now=now, max_attempts=rules.attempts)
    return Changed(
        id=memory.id,
        status=Outcome.UPDATED,
        current_version=memory.version,
        new_version=None,
    )


def reject(
    tx: WriteTx, memory_id: str, *, agent_id: str, actor: Actor, rules: Rules, now: datetime
) -> Changed:
    """Forget a memory as wrong, so that its text is not saved again. Raises NotAPerson, Unknown and NotWaiting."""
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
        raise NotWaiting(memory.id, memory.version)
    return memory


def recover(tx: WriteTx, asked: Recover, *, actor: Actor, rules: Rules, now: datetime) -> Changed:
    """Make a forgotten memory active again, with the memories that were hidden with it.

    Raises Invalid without a reason, Frozen, and in this order Unknown, NotDeleted, VersionConflict,
    RetentionExpired, and DuplicateContent if its text was saved again (MEM-39).
    """
    if not asked.reason.strip():
        raise Invalid("reason is required")
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, asked.memory_id, agent_id=asked.agent_id)
    if not memory.is_deleted:
        raise NotDeleted(memory.id, memory.version)
    check_version(memory, asked.if_version)
    if not is_kept(memory.deleted_at, now, rules.recover_within):
        raise RetentionExpired(memory.id, memory.version)
    twin = memories.twin(tx, memory, wording.content_hash(memory.content))
    if twin is not None:
        raise DuplicateContent(memory.id, memory.version, duplicateMemoryId=twin)
    memories.unhide(tx, memory.id, by=actor.name, at=now)
    forget.drop_deleted_copies(tx, memory.id)
    derived.publish(tx, derived.Kind.RECOVERED, [memory.id], at=now)
    _resume(tx, memory, rules, now)
    history.record(
        tx,
        memory.id,
        Event.RECOVERED,
        actor=actor,
        at=now,
        new=memory.content,
        reason=asked.reason,
        metadata={
            "ifVersion": asked.if_version,
            "retentionWindowMs": rules.recover_within // timedelta(milliseconds=1),
        },
    )
    if sources.is_withdrawn(tx, memory.id):
        sources.release(tx, [memory.id])
        derived.own(tx, memory.id, actor)
    kind = derived.Kind.RECOVERED
    change = derived.Change(kind=kind, actor=actor, reason=asked.reason, at=now)
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
    for kind, wanted in (("extract", extract), ("embed", embed)):
        if wanted:
            job = Job(kind=kind, memory_id=memory.id, agent_id=memory.agent_id)
            enqueue(tx, job, now=now, max_attempts=rules.attempts)


#: What is left of the importance of a memory that may fade.
FADED = 0.5


class Verdict(StrEnum):
    """`keep`: the pipeline never changes it; `fade`: half the importance; `wrong`: forgotten as untrue."""

    KEEP = "keep"
    FADE = "fade"
    WRONG = "wrong"
    #: Nothing is said of it, or no longer.
    NONE = "none"


class Judged(NamedTuple):
    """The newest verdict on a memory, and its importance and protection before that."""

    verdict: Verdict = Verdict.NONE
    importance: float = 0.0
    is_kept: bool = False


def judge(
    tx: WriteTx,
    memory_id: str,
    verdict: Verdict,
    *,
    agent_id: str,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> Changed:
    """Apply a verdict in place of the previous one; `none` undoes that. Recorded as `reviewed`.

    Raises NotAPerson, Frozen, Unknown, Deleted for a memory forgotten otherwise, and what `recover` raises.
    """
    if actor.may_claim is not Origin.USER:
        raise NotAPerson
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, memory_id, agent_id=agent_id)
    before = last_verdict(tx, memory.id)
    if before.verdict is Verdict.WRONG and not memory.is_deleted:
        before = Judged()  # somebody has brought it back
    if before.verdict is verdict:
        return _changed(memory, memory.version)
    if memory.is_deleted and before.verdict is not Verdict.WRONG:
        raise Deleted(memory.id, memory.version)
    _take_back(tx, memory, before, agent_id=agent_id, actor=actor, rules=rules, now=now)
    as_it_was = lookup.known(tx, memory_id, agent_id=agent_id)
    said = Judged(verdict, as_it_was.importance, as_it_was.manual_override)
    history.record(
        tx, memory.id, Event.REVIEWED, actor=actor, at=now, reason=verdict, metadata=said._asdict()
    )
    _do(tx, as_it_was, verdict, agent_id=agent_id, actor=actor, rules=rules, now=now)
    done = lookup.known(tx, memory_id, agent_id=agent_id)
    return _changed(memory, done.version)


def last_verdict(tx: WriteTx, memory_id: str) -> Judged:
    said = history.metadata_of_last(tx, memory_id, Event.REVIEWED)
    return Judged(**{**said, "verdict": Verdict(str(said["verdict"]))}) if said else Judged()


def _take_back(
    tx: WriteTx,
    memory: Memory,
    before: Judged,
    *,
    agent_id: str,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> None:
    if before.verdict is Verdict.WRONG and memory.is_deleted:
        asked = Recover(memory_id=memory.id, reason=Verdict.NONE, agent_id=agent_id)
        recover(tx, asked, actor=actor, rules=rules, now=now)
    elif before.verdict is Verdict.FADE:
        fields = {"importance": before.importance}
        memories.patch(tx, memory.id, fields, by=actor.name, at=now)
    elif before.verdict is Verdict.KEEP:
        memories.set_kept(tx, memory.id, before.is_kept)


def _do(
    tx: WriteTx,
    memory: Memory,
    verdict: Verdict,
    *,
    agent_id: str,
    actor: Actor,
    rules: Rules,
    now: datetime,
) -> None:
    if verdict is Verdict.KEEP:
        memories.set_kept(tx, memory.id, True)
    elif verdict is Verdict.FADE:
        fields = {"importance": memory.importance * FADED}
        memories.patch(tx, memory.id, fields, by=actor.name, at=now)
    elif verdict is Verdict.WRONG:
        asked = Forget(
            memory_id=memory.id, reason=verdict, agent_id=agent_id, force=True, is_wrong=True
        )
        forget.forget_one(tx, asked, actor=actor, rules=rules, now=now)


def _changed(memory: Memory, version: int) -> Changed:
    is_new = version != memory.version
    return Changed(
        id=memory.id,
        status=Outcome.UPDATED if is_new else Outcome.NO_CHANGES,
        current_version=memory.version,
        new_version=version if is_new else None,
    )
