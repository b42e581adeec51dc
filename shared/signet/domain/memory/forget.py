"""Forgetting a memory: it is hidden at once, can be recovered for a while, and then purged (MEM-29).

Only `erase` removes it at once and for good; its history stays until that is old enough itself (MEM-38).
"""

from collections.abc import Mapping
from datetime import datetime

from signet.db import WriteTx
from signet.domain.embeddings import store as vectors
from signet.domain.graph import link
from signet.domain.memory import history, lookup, store
from signet.domain.memory.models import Actor, Changed, Event, Forget, Memory, Outcome, Rules
from signet.domain.memory.refusals import (
    AlreadyDeleted,
    ForceDenied,
    PinnedNeedsForce,
    check_version,
)
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
    if memory.pinned and actor.type == "pipeline":
        raise ForceDenied(memory.id, memory.version)
    if asked.for_good:
        erase(tx, memory, actor=actor, reason=asked.reason, now=now)
    else:
        metadata = {"force": asked.force, "ifVersion": asked.if_version}
        forget(tx, memory.id, actor=actor, reason=asked.reason, now=now, metadata=metadata)
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
) -> bool:
    """Hide an active memory and say so in its history; False when there is none."""
    content = store.hide(tx, memory_id, at=now)
    if content is None:
        return False
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


def erase(tx: WriteTx, memory: Memory, *, actor: Actor, reason: str, now: datetime) -> None:
    """Remove a memory with its text index, vectors, hints, links, statements and waiting jobs; its history stays."""
    link.erase(tx, memory.id, now=now)
    vectors.remove(tx, memory.id)
    store.drop(tx, [memory.id])
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
