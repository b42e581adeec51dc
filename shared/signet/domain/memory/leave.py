"""What becomes of the memories of an agent that is removed: kept where nobody reads them, or erased (HN-70 ff.).

Step by step in short transactions, so that it may be stopped and done again.
"""

from datetime import datetime

from signet.db import WriteTx
from signet.domain.memory import forget, history, store
from signet.domain.memory.models import Actor, Event

#: Memories of one transaction.
BATCH = 100
REASON = "its agent was removed"

_LEFT = """
SELECT id FROM memories WHERE agent_id = ?1 AND (?2 OR (visibility IS NOT 'archived' AND is_deleted = 0))
 ORDER BY seq LIMIT ?3"""
# A text that is archived already is a repetition, which the index of contents refuses: it is forgotten instead.
_ARCHIVE = "UPDATE OR IGNORE memories SET visibility = 'archived' WHERE id = ?"


def archive(tx: WriteTx, agent_id: str, *, actor: Actor, now: datetime) -> int:
    """Take the next memories of an agent out of every reader's sight, and return how many; 0 is the end."""
    ids = _next(tx, agent_id, with_hidden=False)
    for memory_id in ids:
        if tx.run(_ARCHIVE, (memory_id,)) == 0:
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
    ids = _next(tx, agent_id, with_hidden=True)
    for memory_id in ids:
        memory = store.by_id(tx, memory_id)
        if memory is not None:
            forget.erase(tx, memory, actor=actor, reason=REASON, now=now)
    return len(ids)


def _next(tx: WriteTx, agent_id: str, *, with_hidden: bool) -> list[str]:
    return [row[0] for row in tx.all(_LEFT, (agent_id, with_hidden, BATCH))]
