"""Values that a person forgot, rejected or erased: only a person can restore them (MEM-58 to MEM-60).

A value is a memory's text as `wording.py` compares it. It is stored in the transaction that hides or deletes the
memory, and remains when the memory's row is gone. Of an erased text only hashes are stored. If a person saves the same
text again by hand, the value is lifted.
"""

import contextlib
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from pathlib import Path

from signet import clock
from signet.db import ReadTx, WriteTx, cursor, visibility
from signet.db.dialect import as_list
from signet.db.driver import connect, sqlite
from signet.db.visibility import Reader, ReadPolicy
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.memory import forget, wording
from signet.domain.memory.derived import ChangeKind, MemoryEvent
from signet.domain.memory.lookup import ValueForgotten
from signet.domain.memory.models import Actor, Draft, Memory, Visibility
from signet.domain.memory.sql import history as sql
from signet.domain.memory.sql import memories
from signet.domain.memory.sql.history import KnownValue, StoredValue
from signet.domain.transcripts import withheld
from signet.errors import NotFound
from signet.ids import is_of_user
from signet.wire import memory as wire

#: Characters of a text that identify it in a list.
LABEL_CHARS = 80


def follow(tx: WriteTx, event: MemoryEvent) -> None:
    """Store the values of memories that a person forgets, and lift those of recovered ones."""
    found = [memory for id_ in event.memory_ids if (memory := memories.by_id(tx, id_))]
    if event.kind is ChangeKind.RECOVERED:
        for memory in found:
            sql.delete_values(tx, [memory.id])
            lift_said(tx, memory.agent_id, memory.scope, memory.content)
    elif event.is_asked:
        tx.many(sql.PUT, [row for memory in found for row in _rows(memory, event)])


def check(tx: ReadTx, owner: Draft | Memory, text: str) -> None:
    """Raise ForgottenValue if a text that no user asked to save states a value forgotten by its owner."""
    if not tx.value(sql.IS_ANY):
        return
    said = wording.read_value(text)
    found = tx.rows(sql.KnownValue, sql.MATCHING, (as_list(said.hashes),))
    known = {row.value_hash: row for row in found if _withholds(tx, row, owner)}
    if said.whole in known or (said.sentences and known.keys() >= set(said.sentences)):
        raise ValueForgotten(next(iter(known.values())).memory_id)


def lift_said(tx: WriteTx, agent_id: str, scope: str | None, text: str) -> tuple[str, ...]:
    """Lift an agent's forgotten values that this text states; return the IDs of their memories."""
    if not tx.value(sql.IS_ANY):
        return ()
    found = tx.rows(sql.KnownValue, sql.MATCHING, (as_list(wording.read_value(text).hashes),))
    ours = (row for row in found if row.agent_id == agent_id and _meet(row.scope, scope))
    lifted = tuple(dict.fromkeys(row.memory_id for row in ours))
    if lifted:
        sql.delete_values(tx, lifted)
    return lifted


def named(tx: ReadTx, memory_ids: Collection[str]) -> set[str]:
    return set(tx.column(sql.NAMED, (as_list(memory_ids),)))


def lift(tx: WriteTx, memory_id: str, *, reader: Reader, now: datetime) -> None:
    """Allow the value of this memory to be saved and quoted again; the memory itself is unchanged.

    Raises NotFound, and ScopeDenied for a value that another owner has forgotten.
    """
    seen = visibility.readable(reader, "v") & visibility.Where("v.memory_id = ?", (memory_id,))
    found = tx.records(wire.ForgottenValue, sql.NEWEST + seen.sql + sql.PAGE_SQL, (*seen.params, 1))
    if not found:
        raise NotFound("no forgotten value has this id", id=memory_id)
    caller.current().check_row(agent=found[0]["agentId"])
    sql.delete_values(tx, [memory_id])
    withheld.lift(tx, [memory_id])
    if memory := memories.by_id(tx, memory_id):
        withheld.say_again(tx, memory.agent_id, memory.content)
    withheld.queue(tx, found[0]["agentId"], is_back=True, now=now)


def newest(
    tx: ReadTx, *, reader: Reader, window: timedelta, now: datetime, limit: int, after: str | None
) -> wire.ForgottenValues:
    """Return a page of forgotten values, newest first; memories are recoverable for `window`. Raises BadCursor."""
    seen = visibility.readable(reader, "v")
    place = cursor.read(after, str, str) if after else ()
    found = tx.records(
        wire.ForgottenValue,
        sql.NEWEST + seen.sql + sql.AFTER * bool(place) + sql.PAGE_SQL,
        (*seen.params, *place, limit + 1),
    )
    rows, following = cursor.cut(found, limit, lambda one: (one["since"], one["id"]))
    for row in rows:
        deleted_at = clock.parsed(row["recoverableUntil"] or "")
        until = deleted_at + window if deleted_at else None
        row["recoverableUntil"] = clock.to_text(until) if until and until >= now else None
    total = int(tx.value(sql.COUNT_VALUES + seen.sql, seen.params))
    return {"values": rows, "next": following, "total": total}


def _rows(memory: Memory, event: MemoryEvent) -> list[tuple[object, ...]]:
    is_erased = event.kind is ChangeKind.ERASED
    label = None if is_erased else _label(memory.content)
    owner = (memory.agent_id, memory.visibility, memory.scope, memory.project)
    return [
        (memory.id, part, found, *owner, event.kind.value, label, clock.to_text(event.at))
        for part, found in enumerate(wording.read_value(memory.content).hashes)
    ]


def _label(text: str) -> str:
    return text if len(text) <= LABEL_CHARS else text[: LABEL_CHARS - 1].rstrip() + "…"


def _withholds(tx: ReadTx, row: KnownValue, owner: Draft | Memory) -> bool:
    """Return whether a new row would restore a value for the agent that has forgotten it."""
    if not _meet(row.scope, owner.scope):
        return False
    if row.agent_id == owner.agent_id:
        return True
    if is_of_user(row.agent_id):  # what a user forgets limits only that user (AUTH-27)
        return False
    is_shared = row.visibility == owner.visibility == Visibility.GLOBAL
    return is_shared and _reads(tx, row.agent_id, owner.agent_id)


def _reads(tx: ReadTx, agent_id: str, owner: str) -> bool:
    reader = agents.policy_reader(agent_id, agents.get(tx, agent_id))
    if reader.policy is not ReadPolicy.GROUP:
        return reader.policy is ReadPolicy.SHARED
    other = agents.get(tx, owner)
    return other is not None and reader.group is not None and other.policy_group == reader.group


def _meet(one: str | None, other: str | None) -> bool:
    """Return whether two scopes overlap; no scope means every scope."""
    return one == other or one is None or other is None


RESTORER = Actor(name="restore")
RESTORE_REASON = "forgotten after the backup was made"


def carry_over(
    present: Path,
    staged: Path,
    *,
    now: datetime,
    also: Callable[[ReadTx, WriteTx], None] = lambda before, tx: None,
    forgets: bool = True,
) -> int:
    """Repeat in one database what another one forgot or erased since; return how many memories.

    `also` repeats more in the same transaction. A database that cannot be read changes nothing.
    """
    try:
        old = connect(present, read_only=True)
        rows = ReadTx(old).rows(sql.StoredValue, sql.WHOLE_SQL)
        held = withheld.whole(ReadTx(old))
    except sqlite.Error:
        return 0
    with contextlib.closing(old), contextlib.closing(connect(staged)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        also(ReadTx(old), WriteTx(connection))
        done = 0
        if forgets:
            done = _forget(WriteTx(connection), rows, now)
            withheld.carry(WriteTx(connection), held, now=now)
        connection.execute("COMMIT")
    return done


def pinned_rules(tx: ReadTx) -> list[str]:
    return [str(text) for text in tx.column(memories.PINNED_RULES)]


def _forget(tx: WriteTx, rows: list[StoredValue], now: datetime) -> int:
    known = set(tx.column(sql.NAMED, (as_list([row.memory_id for row in rows]),)))
    newer = [row for row in rows if row.memory_id not in known]
    if not newer:
        return 0
    tx.many(sql.PUT, newer)
    hashes = {(row.agent_id, row.value_hash): row for row in newer if row.part == 0}
    count = 0
    for memory_id in tx.column(sql.ACTIVE):
        memory = memories.by_id(tx, memory_id)
        row = memory and hashes.get((memory.agent_id, wording.read_value(memory.content).whole))
        if memory and row and memory.created_at <= row.since:
            count += _again(tx, memory, row, now)
    return count


def _again(tx: WriteTx, memory: Memory, row: StoredValue, now: datetime) -> bool:
    if row.why == "erased":
        forget.erase(tx, memory, actor=RESTORER, reason=RESTORE_REASON, now=now)
        return True
    return forget.forget(tx, memory.id, actor=RESTORER, reason=RESTORE_REASON, now=now)
