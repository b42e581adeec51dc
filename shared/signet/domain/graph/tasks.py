"""Entities of type task that have expired, and those whose retention is over (KG-30, KG-31)."""

from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.graph.sql import entities
from signet.domain.graph.sql import tasks as sql


def cancel_expired(tx: WriteTx, *, now: datetime, limit: int) -> int:
    """Cancel open tasks that have expired; return how many."""
    return tx.run(sql.CANCEL, (clock.to_text(now), limit))


def delete_ended(tx: WriteTx, *, now: datetime, limit: int) -> int:
    """Delete ended tasks whose retention is over, never one that a person has pinned (KG-22); return how many."""
    gone = tx.column(sql.ENDED, (clock.to_text(now), limit))
    entities.delete(tx, gone)
    return len(gone)
