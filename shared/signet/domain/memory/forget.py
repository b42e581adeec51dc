"""Forgetting a memory: it is hidden at once, can be recovered for a while, and then purged (MEM-29)."""

from datetime import datetime

from signet.db import WriteTx
from signet.domain.memory import history, store
from signet.domain.memory.models import Actor, Event


def forget(tx: WriteTx, memory_id: str, *, actor: Actor, reason: str, now: datetime) -> bool:
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
        metadata={"force": False, "ifVersion": None},
    )
    return True
