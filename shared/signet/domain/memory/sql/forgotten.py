"""The rows of `forgotten_values`: one for each memory (`part` 0) and for each of its sentences."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, as_list
from signet.db.visibility import Where
from signet.wire.memory import ForgottenValue

_IS_ANY = "SELECT EXISTS (SELECT 1 FROM forgotten_values)"
_PUT = (
    "INSERT OR REPLACE INTO forgotten_values"
    " (memory_id, part, value_hash, agent_id, visibility, scope, project, why, label, since)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_MATCHING = (
    "SELECT memory_id, value_hash, agent_id, visibility, scope FROM forgotten_values"
    f" WHERE value_hash IN {LIST} ORDER BY since, memory_id, part"
)
_FIELDS = (
    "v.memory_id AS id, v.agent_id, v.scope, v.why, v.label, v.since,"
    " (SELECT m.deleted_at FROM memories m WHERE m.id = v.memory_id AND m.is_deleted = 1) AS recoverable_until"
)
_NEWEST = f"SELECT {_FIELDS} FROM forgotten_values v WHERE v.part = 0 AND "
_PAGE = " ORDER BY v.since DESC, v.memory_id DESC LIMIT ? OFFSET ?"
_COUNT = "SELECT count(*) FROM forgotten_values v WHERE v.part = 0 AND "
_NAMED = f"SELECT memory_id FROM forgotten_values WHERE part = 0 AND memory_id IN {LIST}"
_DELETE = f"DELETE FROM forgotten_values WHERE memory_id IN {LIST}"


_WHOLE = (
    "SELECT memory_id, part, value_hash, agent_id, visibility, scope, project, why, label, since"
    " FROM forgotten_values ORDER BY memory_id, part"
)
_ACTIVE = "SELECT id FROM memories WHERE is_deleted = 0 ORDER BY seq"


class Whole(NamedTuple):
    """A whole row."""

    memory_id: str
    part: int
    value_hash: str
    agent_id: str
    visibility: str
    scope: str | None
    project: str | None
    why: str
    label: str | None
    since: str


class Kept(NamedTuple):
    """A row that says what a new text says."""

    memory_id: str
    value_hash: str
    agent_id: str
    visibility: str
    scope: str | None


def is_any(tx: ReadTx) -> bool:
    """Return whether anything was ever forgotten: nothing else is asked then, and no text is compared."""
    return bool(tx.value(_IS_ANY))


def put(tx: WriteTx, rows: Sequence[tuple[object, ...]]) -> None:
    """Store the values of memories; those of a memory that was forgotten before take the place of the old ones."""
    tx.many(_PUT, rows)


def whole(tx: ReadTx) -> list[Whole]:
    """Return every row."""
    return tx.rows(Whole, _WHOLE)


def active(tx: ReadTx) -> list[str]:
    """Return the ids of all active memories, oldest first."""
    return [row[0] for row in tx.tuples(_ACTIVE)]


def matching(tx: ReadTx, hashes: Sequence[str]) -> list[Kept]:
    """Return the rows with one of these hashes, oldest first."""
    return tx.rows(Kept, _MATCHING, (as_list(hashes),))


def named(tx: ReadTx, memory_ids: Collection[str]) -> list[str]:
    """Return those of the memories whose values are here."""
    return [row[0] for row in tx.tuples(_NAMED, (as_list(memory_ids),))]


def newest(tx: ReadTx, where: Where, *, limit: int, offset: int) -> list[ForgottenValue]:
    """Return the forgotten values that pass, newest first; `recoverableUntil` is when the memory was forgotten."""
    return tx.records(ForgottenValue, _NEWEST + where.sql + _PAGE, (*where.params, limit, offset))


def count(tx: ReadTx, where: Where) -> int:
    """Return how many forgotten values pass."""
    return int(tx.value(_COUNT + where.sql, where.params))


def delete(tx: WriteTx, memory_ids: Sequence[str]) -> int:
    """Delete the values of memories; return how many rows went."""
    return tx.run(_DELETE, (as_list(memory_ids),))
