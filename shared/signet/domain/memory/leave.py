"""Memories of a removed agent: archived, erased, or adopted by another agent (HN-70 ff.).

Works in short transactions, so that it can be stopped and repeated.
"""

from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.agents import registry as agents
from signet.domain.memory import forget, history, listing, remember
from signet.domain.memory.models import Actor, Event, NewMemory, Remembered, Rules, Visibility
from signet.domain.memory.sql import memories, sources
from signet.errors import NotFound

#: Memories of one transaction.
BATCH = 100
REASON = "its agent was removed"


def archive(tx: WriteTx, agent_id: str, *, actor: Actor, now: datetime) -> int:
    """Archive the next memories of an agent, which hides them from every reader; return their number, 0 at the end."""
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
