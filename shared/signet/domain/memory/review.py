"""What waits for a person: memories that are not the user's and tell their reader what to do (MEM-64)."""

from datetime import datetime

from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.memory import forget, history, lookup
from signet.domain.memory.models import Actor, Changed, Event, Forget, Memory, Outcome, Rules
from signet.domain.memory.refusals import Refused
from signet.domain.memory.sql import memories
from signet.errors import Forbidden, Kind
from signet.queue import Job, enqueue
from signet.wire.origin import Origin, Review

REJECTED = "rejected in review"


class NotWaiting(Refused):
    """The memory does not wait for a review."""

    kind = Kind.CONFLICT
    code = "not_waiting"


class NotAPerson(Forbidden):
    """Only a person approves or rejects: the command line, or a program with the permission to speak for the user."""

    code = "needs_a_person"


def waiting(tx: ReadTx, reader: Reader, *, limit: int, offset: int) -> tuple[list[Memory], int]:
    """Return a page of the memories that wait, newest first, and how many there are."""
    found = memories.waiting(tx, reader, limit=limit, offset=offset)
    return found, memories.count_waiting(tx, reader)


def count(tx: ReadTx) -> int:
    """Return how many memories of all agents wait."""
    return memories.count_waiting(tx, None)


def approve(
    tx: WriteTx, memory_id: str, *, agent_id: str, actor: Actor, rules: Rules, now: datetime
) -> Changed:
    """Let a memory be read out unasked, as data with its origin; its facts are looked for from here on.

    Raises NotAPerson, Unknown and NotWaiting.
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
        reason="approved in review",
        metadata={"changedFields": ["review"], "contentChanged": False},
    )
    if rules.extract:
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
    if memory.is_deleted or memory.review is not Review.WAITING:
        raise NotWaiting(memory.id, memory.version)
    return memory
