"""Letting an agent remember what one that was removed knew."""

from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.agents import registry as agents
from signet.domain.memory import forget, listing, remember
from signet.domain.memory.models import Actor, NewMemory, Remembered, Rules, Visibility
from signet.errors import NotFound

#: The kind of source of what was adopted.
SOURCE = "adopted"


def adopt(
    tx: WriteTx, memory_id: str, *, agent_id: str, actor: Actor, rules: Rules, now: datetime
) -> Remembered:
    """Save an archived memory anew as this agent's own, in place of the archived one.

    It keeps words, origin, times and marks, and is learned from as any other. Nobody else reads it, because nothing
    says whether it was shared. Raises NotFound where this agent could not have read it, Frozen, and ForgottenValue.
    """
    asked = listing.Filter(ids=(memory_id,), state=listing.State.ARCHIVED)
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
        source_type=SOURCE,
        created_at=clock.parsed(memory.created_at),
        event_at=clock.parsed(memory.event_at) if memory.event_at else None,
        visibility=Visibility.PRIVATE,
        scope=memory.scope,
    )
    saved = remember.remember(tx, new, actor=actor, rules=rules, now=now)
    forget.purge(tx, [memory.id], now=now)
    return saved
