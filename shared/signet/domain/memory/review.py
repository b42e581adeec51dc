"""What waits for a person: memories that are not the user's and tell their reader what to do (MEM-64)."""

from datetime import datetime

from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.memory import forget, history, lookup
from signet.domain.memory.models import Actor, Changed, Event, Forget, Memory, Outcome, Rules
from signet.domain.memory.refusals import Refused
from signet.domain.memory.sql import memories
from signet.domain.memory.supersede import supersede
from signet.errors import Forbidden
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
    """Return a page of the memories that wait, newest first, and how many there are."""
    found = memories.waiting(tx, reader, limit=limit, offset=offset)
    return found, memories.count_waiting(tx, reader)


def refused(
    tx: WriteTx, memory_id: str, old_id: str, *, actor: Actor, why: str, now: datetime
) -> None:
    """Write down, once, that a memory may not replace another by itself, and let a person decide (MEM-63)."""
    memory = lookup.find(tx, memory_id)
    if memory is None or memory.is_deleted or old_id in replaces(tx, memory_id):
        return
    said = {"proposedAction": "supersede", "targetMemoryId": old_id, "method": why}
    history.record(tx, memory_id, Event.NONE, actor=actor, at=now, reason=REFUSED, metadata=said)
    if memory.review is None:
        memories.set_origin(tx, memory_id, memory.origin, Review.REPLACES)


def replaces(tx: ReadTx, memory_id: str) -> list[str]:
    """Return the ids of the memories that this one was not allowed to replace."""
    said = history.proposals(tx, memory_id, REFUSED)
    return [str(one["targetMemoryId"]) for one in said if "targetMemoryId" in one]


def count(tx: ReadTx) -> int:
    """Return how many memories of all agents wait."""
    return memories.count_waiting(tx, None)


def approve(
    tx: WriteTx, memory_id: str, *, agent_id: str, actor: Actor, rules: Rules, now: datetime
) -> Changed:
    """Let a memory be read out unasked, as data with its origin; its facts are looked for from here on.

    One that would replace others does so. Raises NotAPerson, Unknown and NotWaiting.
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
    """Forget a memory as wrong, so that its value does not come back. Raises NotAPerson, Unknown and NotWaiting."""
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
