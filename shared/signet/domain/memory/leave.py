"""Memories that leave their owner: those of a removed agent (HN-70 ff.), and those that enter and leave a space.

Removing an agent works in short transactions, so that it can be stopped and repeated.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.agents import registry as agents
from signet.domain.memory import forget, history, listing, remember
from signet.domain.memory.models import (
    Actor,
    Event,
    Memory,
    NewMemory,
    Remembered,
    Rules,
    Visibility,
)
from signet.domain.memory.sql import memories, sources
from signet.errors import NotFound

#: Memories of one transaction.
BATCH = 100
REASON = "its agent was removed"


def archive(tx: WriteTx, agent_id: str, *, actor: Actor, now: datetime) -> int:
    """Archive the next memories of an agent, which hides them from every reader; return their number, 0 at the end.

    What is in a space stays there.
    """
    ids = tx.column(sources.OF_AGENT, (agent_id, False, BATCH))
    said = {"visibility": "archived"}
    for memory_id in ids:
        if tx.run(sources.ARCHIVE, (memory_id,)):
            history.record(tx, memory_id, Event.UPDATED, actor, now, REASON, said)
        else:  # the same text is archived already
            forget.forget(tx, memory_id, actor=actor, reason=REASON, now=now)
    return len(ids)


def erase(tx: WriteTx, agent_id: str, *, actor: Actor, now: datetime) -> int:
    """Erase the next memories of an agent, including forgotten and archived ones; return their number, 0 at the end."""
    ids = tx.column(sources.OF_AGENT, (agent_id, True, BATCH))
    for memory_id in ids:
        memory = memories.by_id(tx, memory_id)
        if memory is not None:
            forget.erase(tx, memory, actor=actor, reason=REASON, now=now)
    return len(ids)


#: The source type of adopted memories.
ADOPTED = "adopted"


def adopt(
    tx: WriteTx, memory_id: str, *, agent_id: str, actor: Actor, rules: Rules, now: datetime
) -> Remembered:
    """Save an archived memory as this agent's own, in place of the archived one.

    It keeps text, origin, times and tags, but is private. Raises NotFound for a memory that this agent could not have
    read, Frozen, and ForgottenValue.
    """
    asked = listing.Filter(ids=(memory_id,), state=listing.MemoryState.ARCHIVED)
    reader = agents.reader(tx, agent_id, any_scope=True)
    found = listing.page(tx, asked, listing.Order(limit=1), reader=reader).memories
    if not found:
        raise NotFound("no archived memory has this id")
    (memory,) = found
    new = NewMemory(
        content=memory.content,
        agent_id=agent_id,
        type=memory.type,
        importance=memory.importance,
        pinned=memory.pinned,
        tags=memory.tags,
        who=memory.who or "daemon",
        origin=memory.origin,
        project=memory.project,
        source_type=ADOPTED,
        created_at=clock.parsed(memory.created_at),
        event_at=clock.parsed(memory.event_at) if memory.event_at else None,
        visibility=Visibility.PRIVATE,
        scope=memory.scope,
    )
    saved = remember.remember(tx, new, actor=actor, rules=rules, now=now)
    forget.purge(tx, [memory.id], now=now)
    return saved


def pieces(tx: ReadTx, memory: Memory) -> Sequence[Memory]:
    """Return a memory, or all pieces of its text in order."""
    if memory.source_type != remember.CHUNK or memory.source_id is None:
        return [memory]
    of = (memory.source_id, memory.agent_id, memory.visibility)
    return memories.by_ids(tx, tx.column(sources.PIECES, of), texts={})


def enter(
    tx: WriteTx, memory: Memory, visibility: str, *, actor: Actor, reason: str | None, now: datetime
) -> bool:
    """Move a memory with its pieces into a space; False if its owner has the same text there."""
    every = pieces(tx, memory)
    if any(_twin(tx, one, visibility) for one in every):
        return False
    for one in every:
        _move(tx, one, visibility, Event.SHARED, actor, reason, now)
    return True


def withdraw(
    tx: WriteTx, memory: Memory, visibility: str, *, actor: Actor, reason: str, now: datetime
) -> None:
    """Move a memory back out of a space, with its pieces and the facts derived from it there.

    If its owner has saved the same text again, the one of the space is forgotten.
    """
    every = pieces(tx, memory)
    facts = tx.column(sources.FAMILY, (as_list([one.id for one in every]), memory.visibility))
    for one in (*every, *memories.by_ids(tx, facts, texts={})):
        if not one.is_deleted and _twin(tx, one, visibility):
            forget.forget(tx, one.id, actor=actor, reason=reason, now=now)
        _move(tx, one, visibility, Event.WITHDRAWN, actor, reason, now)


def _twin(tx: ReadTx, memory: Memory, visibility: str) -> str | None:
    there = replace(memory, visibility=visibility)
    return memories.twin(tx, there, memory.content_hash) if memory.content_hash else None


def _move(
    tx: WriteTx,
    memory: Memory,
    visibility: str,
    event: Event,
    actor: Actor,
    reason: str | None,
    now: datetime,
) -> None:
    tx.run(memories.SET_VISIBILITY, (visibility, memory.id))
    said = {"visibility": visibility, "before": {"visibility": memory.visibility}}
    history.record(tx, memory.id, event, actor, now, reason, said)
