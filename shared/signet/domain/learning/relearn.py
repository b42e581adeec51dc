"""Working out anew what all labels of an agent say of its memories.

Each session's end does that for the memories of the session. All of them are asked for by hand, or after the rule by
which labels become factors has changed. Running it twice changes nothing.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.learning import sql, worth

#: Memories of one transaction: some milliseconds.
BATCH = 200


class Learned(NamedTuple):
    """Labels that count for a memory, and those that do not: silence, and what is older than the last sessions."""

    used: int
    skipped: int


def batches(tx: ReadTx, agent_id: str) -> list[Sequence[str]]:
    """Return the memories of which an agent has labels or anything learned, by transactions."""
    found = tx.column(sql.KNOWN_MEMORIES, (agent_id,))
    return list(_cut(found))


def learn(tx: WriteTx, agent_id: str, memory_ids: Sequence[str], *, now: datetime) -> int:
    """Work out what is known of memories, and return how many labels count for it."""
    worth.refresh(tx, agent_id, memory_ids, now=now)
    return int(tx.value(sql.TIMES, (agent_id, as_list(memory_ids))))


def counted(tx: ReadTx, agent_id: str, used: int) -> Learned:
    """Return the labels that count, and the rest."""
    return Learned(used, max(0, int(tx.value(sql.ALL_LABELS, (agent_id,))) - used))


def _cut(found: Sequence[str]) -> Iterator[Sequence[str]]:
    return (found[start : start + BATCH] for start in range(0, len(found), BATCH))
