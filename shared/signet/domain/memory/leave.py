"""What becomes of the memories of an agent that is removed: kept where nobody reads them, or erased (HN-70 ff.).

Step by step in short transactions, so that it may be stopped and done again.
"""

from datetime import datetime

from signet.db import WriteTx
from signet.domain.memory import forget, history
from signet.domain.memory.models import Actor, Event
from signet.domain.memory.sql import memories, removal

#: Memories of one transaction.
BATCH = 100
REASON = "its agent was removed"


def archive(tx: WriteTx, agent_id: str, *, actor: Actor, now: datetime) -> int:
    """Take the next memories of an agent out of every reader's sight, and return how many; 0 is the end."""
    # A text that is archived already is a repetition: it is forgotten instead.
    ids = removal.of_agent(tx, agent_id, BATCH, with_hidden=False)
    for memory_id in ids:
        if not removal.archive(tx, memory_id):
            forget.forget(tx, memory_id, actor=actor, reason=REASON, now=now)
            continue
        history.record(
            tx,
            memory_id,
            Event.UPDATED,
            actor=actor,
            at=now,
            reason=REASON,
            metadata={"visibility": "archived"},
        )
    return len(ids)


def erase(tx: WriteTx, agent_id: str, *, actor: Actor, now: datetime) -> int:
    """Remove the next memories of an agent for good, forgotten and archived ones too; 0 is the end."""
    ids = removal.of_agent(tx, agent_id, BATCH, with_hidden=True)
    for memory_id in ids:
        memory = memories.by_id(tx, memory_id)
        if memory is not None:
            forget.erase(tx, memory, actor=actor, reason=REASON, now=now)
    return len(ids)
