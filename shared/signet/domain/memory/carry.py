"""What was forgotten stays so when an older state is put back (MEM-60)."""

import contextlib
from datetime import datetime
from pathlib import Path

from signet.db import ReadTx, WriteTx
from signet.db.driver import connect, sqlite
from signet.domain.memory import forget, value
from signet.domain.memory.models import Actor, Memory
from signet.domain.memory.sql import forgotten as sql
from signet.domain.memory.sql import memories
from signet.domain.memory.sql.forgotten import Whole
from signet.domain.transcripts import withheld

ACTOR = Actor(name="restore")
REASON = "forgotten after the backup was made"


def over(present: Path, staged: Path, *, now: datetime) -> int:
    """Forget in one database what was forgotten in another since, and erase what was erased; return how many memories.

    A database that cannot be read, or knows of nothing forgotten, changes nothing.
    """
    try:
        with contextlib.closing(connect(present, read_only=True)) as connection:
            rows = sql.whole(ReadTx(connection))
            held = withheld.whole(ReadTx(connection))
    except sqlite.Error:
        return 0
    with contextlib.closing(connect(staged)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        done = _forget(WriteTx(connection), rows, now)
        withheld.carry(WriteTx(connection), held, now=now)
        connection.execute("COMMIT")
    return done


def pinned_rules(tx: ReadTx) -> list[str]:
    """Return the texts of active pinned rules, which sessions get unasked, newest first."""
    return memories.pinned_rules(tx)


def _forget(tx: WriteTx, rows: list[Whole], now: datetime) -> int:
    known = set(sql.named(tx, [row.memory_id for row in rows]))
    newer = [row for row in rows if row.memory_id not in known]
    if not newer:
        return 0
    sql.put(tx, newer)
    hashes = {(row.agent_id, row.value_hash): row for row in newer if row.part == 0}
    count = 0
    for memory_id in sql.active(tx):
        memory = memories.by_id(tx, memory_id)
        row = memory and hashes.get((memory.agent_id, value.of(memory.content).whole))
        if memory and row and memory.created_at <= row.since:
            count += _again(tx, memory, row, now)
    return count


def _again(tx: WriteTx, memory: Memory, row: Whole, now: datetime) -> bool:
    if row.why == "erased":
        forget.erase(tx, memory, actor=ACTOR, reason=REASON, now=now)
        return True
    return forget.forget(tx, memory.id, actor=ACTOR, reason=REASON, now=now)
