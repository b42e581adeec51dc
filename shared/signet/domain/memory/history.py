"""The history: one row for each change of a memory. Rows are only added, and removed when old (MEM-24)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from signet import clock, ids
from signet.db import ReadTx, WriteTx, columns, cursor
from signet.db.dialect import as_list
from signet.db.visibility import IN_A_SPACE, Reader, Where, readable
from signet.domain.memory import lookup
from signet.domain.memory.models import Actor, Event
from signet.domain.memory.sql import history as sql
from signet.domain.memory.sql import memories
from signet.domain.memory.sql.history import ForgettingRow, Numbered
from signet.errors import NotFound
from signet.wire.memory import HistoryPage, KeyCount, ListedChange, MemoryChange

#: Rows of one answer (MEM-22).
DEFAULT_LIMIT = 200
MAX_LIMIT = 1_000


def record(
    tx: WriteTx,
    memory_id: str,
    event: Event,
    actor: Actor,
    at: datetime,
    reason: str | None = None,
    metadata: Mapping[str, object] | None = None,
    *,
    old: str | None = None,
    new: str | None = None,
) -> None:
    """Record a change of a memory; `old` and `new` are its text before and after."""
    said = None if metadata is None else json.dumps(metadata, ensure_ascii=False)
    why = (actor.name, actor.type, reason, said, clock.to_text(at))
    row = (ids.new_ordered_id(), memory_id, event, old, new, *why)
    tx.run(sql.INSERT, (*row, actor.session_id, actor.request_id))


def since_shared(reader: Reader, change: str = "h", memory: str = "m") -> Where:
    """Return the condition on a change that a reader with a key may see: of a space's memory only those from its entry
    on, because earlier texts were private, unless it wrote them.
    """
    if not reader.spaces:
        return Where("1")
    entered = f"""(SELECT max(s.created_at) FROM memory_history s
      WHERE s.memory_id = {change}.memory_id AND s.event = 'shared')"""
    return Where(
        f"(coalesce({memory}.visibility, '') NOT LIKE ? OR {memory}.agent_id = ?"
        f" OR {change}.created_at >= {entered})",
        (IN_A_SPACE, reader.agent_id),
    )


def changes_of(
    tx: ReadTx,
    memory_id: str,
    *,
    reader: Reader,
    limit: int = DEFAULT_LIMIT,
    forgotten_texts: bool = True,
) -> list[MemoryChange]:
    """Return the changes of a memory, oldest first, also of a forgotten, erased or purged one.

    Without `forgotten_texts` the changes of a deleted memory have neither texts nor metadata, which may quote them.
    Raises NotFound for a memory that this reader may not see.
    """
    gone = readable(reader, "v") & Where("v.memory_id = ?", (memory_id,))
    memory = memories.readable(tx, memory_id, reader)
    if memory is None and not int(tx.value(sql.COUNT_VALUES + gone.sql, gone.params)):
        raise NotFound("Not found", memoryId=memory_id)
    seen = since_shared(reader) if memory else since_shared(reader, memory="v")
    changes = tx.records(
        MemoryChange,
        sql.CHANGES.format(where=seen.sql),
        (memory_id, *seen.params, max(1, min(limit, MAX_LIMIT))),
    )
    if memory is not None and not memory.is_deleted:
        _tell(tx, [(one, memory.type) for one in changes], reader=reader)
    elif not forgotten_texts:
        for one in changes:
            one["oldContent"] = one["newContent"] = one["metadata"] = None
    return changes


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryFilter:
    """A filter for changes: an event, a period in stored form, and a cursor."""

    event: Event | None = None
    since: str | None = None
    until: str | None = None
    cursor: str | None = None
    limit: int = DEFAULT_LIMIT

    def where(self, reader: Reader) -> Where:
        """Return the condition on `sql.PAGE`; raises BadCursor."""
        there, gone = readable(reader), readable(reader, "v")
        there &= since_shared(reader)
        gone &= since_shared(reader, memory="v")
        seen = f"((m.id IS NOT NULL AND {there.sql}) OR (v.memory_id IS NOT NULL AND {gone.sql}))"
        where = Where(seen, there.params + gone.params)
        for condition, value in (
            ("h.event = ?", self.event),
            ("h.created_at >= ?", self.since),
            ("h.created_at <= ?", self.until),
        ):
            where &= Where("1") if value is None else Where(condition, (value,))
        if self.cursor is not None:
            where &= Where(
                "(h.created_at, h.id) < (?, ?)", tuple(cursor.read(self.cursor, str, str))
            )
        return where


def page(tx: ReadTx, asked: HistoryFilter, *, reader: Reader, forgotten_texts: bool) -> HistoryPage:
    """Return the changes of all memories that a reader may see, newest first; `content` is the current text.

    Deleted memories have no `content`, and without `forgotten_texts` no other texts or metadata. Raises BadCursor.
    """
    where = asked.where(reader)
    statement = sql.PAGE.format(where=where.sql)
    rows = tx.records(ListedChange, statement, (*where.params, asked.limit + 1))
    found, following = cursor.cut(rows, asked.limit, lambda one: (one["createdAt"], one["id"]))
    ids_of = list(dict.fromkeys(one["memoryId"] for one in found))
    there = [one for one in memories.by_ids(tx, ids_of, texts={}) if not one.is_deleted]
    texts = {one.id: one.content for one in lookup.readable_memories(tx, there, reader=reader)}
    types = {one.id: one.type for one in there}
    _tell(tx, [(one, types.get(one["memoryId"], "")) for one in found], reader=reader)
    for one in found:
        one["content"] = texts.get(one["memoryId"])
        if one["content"] is None and not forgotten_texts:
            one["oldContent"] = one["newContent"] = one["metadata"] = None
    return {"history": found, "count": len(found), "next": following}


def _tell(tx: ReadTx, found: Sequence[tuple[MemoryChange, str]], *, reader: Reader) -> None:
    """Remove forgotten statements from changes, each given with the type of its memory."""
    old = lookup.readable_texts(
        tx, [(type, one["oldContent"] or "") for one, type in found], reader=reader
    )
    new = lookup.readable_texts(
        tx, [(type, one["newContent"] or "") for one, type in found], reader=reader
    )
    for (one, _), before, after in zip(found, old, new, strict=True):
        one["oldContent"] = before if one["oldContent"] is not None else None
        one["newContent"] = after if one["newContent"] is not None else None


def proposals(tx: ReadTx, memory_id: str, reason: str) -> list[Mapping[str, object]]:
    """Return the metadata of proposals of one kind that changed nothing, oldest first."""
    rows = tx.column(sql.METADATA, (memory_id, reason))
    return [found for found in map(columns.object_or_text, rows) if isinstance(found, dict)]


def metadata_of_last(tx: ReadTx, memory_id: str, event: Event) -> Mapping[str, Any] | None:
    found = columns.object_or_text(tx.value(sql.OF_LAST, (memory_id, event)))
    return found if isinstance(found, dict) else None


def imported(
    tx: ReadTx, since: str, *, reader: Reader, project: str | None = None
) -> list[KeyCount]:
    """Return the sources of memories imported since an ISO instant, with their counts, most first."""
    where = readable(reader) & Where("coalesce(?, m.project) IS m.project", (project,))
    return tx.records(KeyCount, sql.IMPORTED.format(where=where.sql), (since, *where.params))


def taken_back(
    tx: ReadTx, memory_ids: Sequence[str], since: str
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the memories that a person changed, and those that one forgot, since an ISO instant."""
    rows = tx.tuples(sql.TAKEN_BACK, (as_list(memory_ids), since))
    changed = frozenset(memory_id for memory_id, event in rows if event == Event.UPDATED)
    return changed, frozenset(memory_id for memory_id, event in rows if event != Event.UPDATED)


def texts(tx: ReadTx, seqs: Sequence[int], as_of: datetime) -> dict[int, str]:
    """Return the texts at an instant of memories whose text has changed since, by row number."""
    return dict(tx.tuples(sql.TEXTS, (clock.to_text(as_of), as_list(seqs))))


def forgettings(tx: ReadTx, memory_ids: Sequence[str]) -> dict[str, ForgettingRow]:
    return {row.id: row for row in tx.rows(ForgettingRow, sql.FORGOTTEN, (as_list(memory_ids),))}


def blank(tx: WriteTx, memory_id: str) -> None:
    """Delete a memory's texts from its history, and quotes of it from the history of others (MEM-38)."""
    for statement in sql.BLANK:
        tx.run(statement, (memory_id,))


def last(tx: ReadTx) -> int:
    return int(tx.value(sql.LAST))


def since(tx: ReadTx, number: int, *, limit: int) -> list[Numbered]:
    """Return the changes committed after a number, oldest first.

    Numbers restart when the file is compacted; then all changes are returned.
    """
    return tx.rows(Numbered, sql.SINCE, (min(number, last(tx)), limit))


def purge(tx: WriteTx, before: str, limit: int) -> int:
    return tx.run(sql.DELETE_OLDEST, (before, limit))
