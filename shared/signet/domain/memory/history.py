"""Every change of a memory, one row. Rows are added, and removed when they are old (MEM-24)."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from signet import clock, ids
from signet.db import ReadTx, WriteTx, columns
from signet.db.dialect import as_list
from signet.db.visibility import Reader, Where, readable
from signet.domain.memory.models import Actor, Event
from signet.domain.memory.sql import forgotten, memories
from signet.domain.memory.sql import history as sql
from signet.domain.memory.sql.history import Forgetting, Numbered
from signet.errors import NotFound
from signet.wire.memory import Change

#: Rows of one answer (MEM-22).
DEFAULT_LIMIT = 200
MAX_LIMIT = 1_000


def record(
    tx: WriteTx,
    memory_id: str,
    event: Event,
    *,
    actor: Actor,
    at: datetime,
    old: str | None = None,
    new: str | None = None,
    reason: str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> None:
    """Write down what happened to a memory; `old` and `new` are its text before and after."""
    tx.run(
        sql.INSERT,
        (
            ids.new_ordered_id(),
            memory_id,
            event,
            old,
            new,
            actor.name,
            actor.type,
            reason,
            None if metadata is None else json.dumps(metadata, ensure_ascii=False),
            clock.to_text(at),
            actor.session_id,
            actor.request_id,
        ),
    )


def of(
    tx: ReadTx,
    memory_id: str,
    *,
    reader: Reader,
    limit: int = DEFAULT_LIMIT,
    forgotten_texts: bool = True,
) -> list[Change]:
    """Return the changes of a memory, oldest first and at most 1,000, also when it is forgotten, erased or purged.

    Without `forgotten_texts` those of a memory that is no more have neither texts nor metadata, which may quote them.
    Raises NotFound for a memory that this reader may not see.
    """
    gone = readable(reader, "v") & Where("v.memory_id = ?", (memory_id,))
    memory = memories.readable(tx, memory_id, reader)
    if memory is None and not forgotten.count(tx, gone):
        raise NotFound("Not found", memoryId=memory_id)
    changes = tx.records(Change, sql.CHANGES, (memory_id, max(1, min(limit, MAX_LIMIT))))
    if forgotten_texts or (memory is not None and not memory.is_deleted):
        return changes
    return [{**one, "oldContent": None, "newContent": None, "metadata": None} for one in changes]


def proposals(tx: ReadTx, memory_id: str, reason: str) -> list[Mapping[str, object]]:
    """Return what was written down of proposals of one kind that changed nothing, oldest first."""
    rows = tx.column(sql.METADATA, (memory_id, reason))
    return [found for found in map(columns.object_or_text, rows) if isinstance(found, dict)]


def metadata_of_last(tx: ReadTx, memory_id: str, event: Event) -> Mapping[str, Any] | None:
    """Return what was written down with the newest event of a kind, None without one."""
    found = columns.object_or_text(tx.value(sql.OF_LAST, (memory_id, event)))
    return found if isinstance(found, dict) else None


def taken_back(
    tx: ReadTx, memory_ids: Sequence[str], since: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the memories that somebody changed, and those that somebody forgot, since an ISO instant."""
    rows = tx.tuples(sql.TAKEN_BACK, (as_list(memory_ids), since))
    changed = frozenset(memory_id for memory_id, event in rows if event == Event.UPDATED)
    return changed, frozenset(memory_id for memory_id, event in rows if event != Event.UPDATED)


def texts(tx: ReadTx, seqs: Sequence[int], as_of: datetime) -> dict[int, str]:
    """Return what those memories said at an instant that say something else now, as far as history knows."""
    return dict(tx.tuples(sql.TEXTS, (clock.to_text(as_of), as_list(seqs))))


def forgettings(tx: ReadTx, memory_ids: Sequence[str]) -> dict[str, Forgetting]:
    """Return by whom and why memories were forgotten last, by id."""
    return {row.id: row for row in tx.rows(Forgetting, sql.FORGOTTEN, (as_list(memory_ids),))}


def blank(tx: WriteTx, memory_id: str) -> None:
    """Take the texts of a memory out of its history, and out of what that of others says about it (MEM-38)."""
    for statement in sql.BLANK:
        tx.run(statement, (memory_id,))


def last(tx: ReadTx) -> int:
    """Return the number of the newest change, 0 for none."""
    return int(tx.value(sql.LAST))


def since(tx: ReadTx, number: int, *, limit: int) -> list[Numbered]:
    """Return the changes of memories that were committed behind a number, oldest first.

    Numbers begin anew when the file is compacted; then every change is behind.
    """
    return tx.rows(Numbered, sql.SINCE, (min(number, last(tx)), limit))


def purge(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest changes, those before this time and at most `limit`; return how many."""
    return tx.run(sql.DELETE_OLDEST, (before, limit))
