"""Sessions of which nothing is to be kept, as they were bypassed or cleared: their logs are not read later (HK-121)."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.transcripts import sql


def note(tx: WriteTx, agent_id: str, key: str, *, now: datetime) -> None:
    """Note that nothing of a session is to be kept."""
    tx.run(sql.UNKEEP, (agent_id, key, clock.to_text(now)))


def lift(tx: WriteTx, agent_id: str, key: str) -> None:
    """Let a session be kept again."""
    tx.run(sql.KEEP_AGAIN, (agent_id, key))


def holds(tx: ReadTx, agent_id: str, key: str) -> bool:
    """Return whether nothing of a session is to be kept."""
    return tx.value(sql.IS_UNKEPT, (agent_id, key)) is not None
