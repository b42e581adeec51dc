"""Forgetting a memory: it is hidden at once, can be recovered for a while, and then purged (MEM-29).

Only `erase` removes it at once and for good; its history stays until that is old enough itself (MEM-38). What other
nouns do about it stands in `memory_followers.py`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from signet.db import ReadTx, WriteTx
from signet.domain.memory import followers, history, lookup
from signet.domain.memory.followers import Kind
from signet.domain.memory.models import (
    PIPELINE,
    Actor,
    Changed,
    Event,
    Forget,
    Memory,
    Outcome,
    Rules,
)
from signet.domain.memory.refusals import (
    AlreadyDeleted,
    ForceDenied,
    PinnedNeedsForce,
    check_version,
)
from signet.domain.memory.sql import memories, removal
from signet.errors import Frozen, Invalid


def forget_one(tx: WriteTx, asked: Forget, *, actor: Actor, rules: Rules, now: datetime) -> Changed:
    """Forget one memory as a person asks for it: hidden, or with `for_good` erased.

    Raises Invalid without a reason, Frozen, and in this order Unknown, AlreadyDeleted, VersionConflict,
    PinnedNeedsForce and ForceDenied.
    """
    if not asked.reason.strip():
        raise Invalid("reason is required")
    if rules.frozen:
        raise Frozen
    memory = lookup.known(tx, asked.memory_id, agent_id=asked.agent_id)
    if memory.is_deleted:
        raise AlreadyDeleted(memory.id, memory.version)
    check_version(memory, asked.if_version)
    if memory.pinned and not asked.force:
        raise PinnedNeedsForce(memory.id, memory.version)
    if memory.pinned and actor.type == PIPELINE:
        raise ForceDenied(memory.id, memory.version)
    is_asked = actor.type != PIPELINE
    if asked.for_good:
        erase(tx, memory, actor=actor, reason=asked.reason, now=now, is_asked=is_asked)
    else:
        metadata = {"force": asked.force, "ifVersion": asked.if_version}
        forget(
            tx,
            memory.id,
            actor=actor,
            reason=asked.reason,
            now=now,
            metadata=metadata,
            is_asked=is_asked,
        )
    return Changed(
        id=memory.id,
        status=Outcome.DELETED,
        current_version=memory.version,
        new_version=None if asked.for_good else memory.version + 1,
    )


def forget(
    tx: WriteTx,
    memory_id: str,
    *,
    actor: Actor,
    reason: str,
    now: datetime,
    metadata: Mapping[str, object] | None = None,
    is_asked: bool = False,
) -> bool:
    """Hide an active memory and say so in its history; False when there is none.

    `is_asked` says that somebody does not want what it says: it is not written again by itself.
    """
    content = memories.hide(tx, memory_id, at=now)
    if content is None:
        return False
    followers.publish(tx, Kind.FORGOTTEN, [memory_id], at=now, is_asked=is_asked)
    history.record(
        tx,
        memory_id,
        Event.DELETED,
        actor=actor,
        at=now,
        old=content,
        reason=reason,
        metadata=metadata or {"force": False, "ifVersion": None},
    )
    return True


def erase(
    tx: WriteTx,
    memory: Memory,
    *,
    actor: Actor,
    reason: str,
    now: datetime,
    is_asked: bool = False,
) -> None:
    """Remove a memory with its text index, vectors, hints, links, statements and waiting jobs; its history stays."""
    followers.publish(tx, Kind.ERASED, [memory.id], at=now, is_asked=is_asked)
    removal.delete(tx, [memory.id])
    history.record(
        tx,
        memory.id,
        Event.DELETED,
        actor=actor,
        at=now,
        old=memory.content,
        reason=reason,
        metadata={"force": True, "ifVersion": None},
    )


def expired(tx: ReadTx, before: str, limit: int) -> list[str]:
    """Return ids of the oldest memories that were forgotten before this; the same ones until they are purged."""
    return removal.expired(tx, before, limit)


def purge(tx: WriteTx, memory_ids: Sequence[str], *, now: datetime) -> int:
    """Delete forgotten memories with all rows that only make sense with them; return how many went."""
    if not memory_ids:
        return 0
    followers.publish(tx, Kind.PURGED, memory_ids, at=now)
    return removal.delete(tx, memory_ids)
