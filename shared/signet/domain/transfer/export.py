"""Export everything in pages, so that no snapshot is held while a file is written.

Rows saved after the first page was read are left out: it records the last row number of each kind. A page is a short
read of at most a megabyte plus its longest row.

Memories are sealed, so that an import by the same user trusts their origin. Without a valid seal nothing in a file
counts as the words of the user, because anyone can write a file (MEM-65). The key is a random file of the user, not the
ID of the machine, which every user of the machine can read.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from signet import __version__, clock
from signet.db import ReadTx, copying
from signet.db.copying import Column
from signet.db.visibility import Reader, Where, readable
from signet.domain.memory.history import since_shared
from signet.domain.secrets import keys
from signet.domain.transfer import sql
from signet.domain.transfer.records import (
    END,
    HEADER,
    KINDS,
    ROW_NUMBER,
    VECTORS,
    VERSION,
    RecordKind,
)
from signet.errors import Invalid
from signet.files import locked
from signet.paths import config_home

#: The field of a record with the seal, and the fields that it covers.
SEAL = "seal"
_SEALED_FIELDS = tuple(
    "id content agent_id visibility scope origin review type pinned project".split()
)


def seal_key() -> bytes:
    """Return the key of this user, created on first use; empty if it cannot be stored or read."""
    folder = config_home() / "exports"
    with suppress(OSError, keys.KeyMissing), locked(folder / ".lock"):
        return keys.made_key(folder)
    return b""


def seal_of(record: Mapping[str, object], key: bytes) -> str:
    """Return the seal of a memory's record: HMAC-SHA256 in hexadecimal."""
    said = json.dumps([record.get(name) for name in _SEALED_FIELDS], ensure_ascii=True)
    return hmac.new(key, said.encode(), hashlib.sha256).hexdigest()


def is_sealed(record: Mapping[str, object], key: bytes) -> bool:
    """Return whether a record has a seal of this user for its present values."""
    found = record.get(SEAL)
    if not key or not isinstance(found, str) or not found.isascii():
        return False
    return hmac.compare_digest(found, seal_of(record, key))


#: A page ends with the row that makes it longer than either.
PAGE_ROWS = 500
PAGE_BYTES = 1_000_000

_VECTORS = RecordKind(VECTORS, "embeddings", owned="", memory="source_id")
_FIRST_PASSAGES = Where("t.source_type = 'memory' AND t.ordinal = 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The rows to export: all that `reader` may read (None: everything), changed since an instant."""

    reader: Reader | None = None
    since: datetime | None = None
    vectors: bool = False
    #: The key that seals memories; empty without one.
    seal_key: bytes = field(default=b"", repr=False)

    @property
    def kinds(self) -> tuple[RecordKind, ...]:
        return (*KINDS.values(), _VECTORS) if self.vectors else tuple(KINDS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPage:
    """Some records, and the cursor of the next page; None after the last."""

    records: list[dict[str, Any]]
    cursor: str | None


def page(tx: ReadTx, scope: Scope, cursor: str | None, *, now: datetime) -> RecordPage:
    """Return the page at a cursor, by default the first. Raises Invalid for an unknown cursor."""
    if cursor is None:
        return _first(tx, scope, now)
    number, after, rows, ends = _place(cursor, len(scope.kinds))
    if number == len(scope.kinds):
        return RecordPage(records=[{"record": END, "rows": rows}], cursor=None)
    kind, upto = scope.kinds[number], ends[number]
    where = _where(tx, kind, scope) & Where("t.rowid > ? AND t.rowid <= ?", (after, upto))
    found, last = _read(tx, kind, where, scope)
    number, after = (number + 1, 0) if last is None or last >= upto else (number, last)
    return RecordPage(records=found, cursor=_cursor(number, after, rows + len(found), ends))


def _first(tx: ReadTx, scope: Scope, now: datetime) -> RecordPage:
    ends, counts = [], {}
    for kind in scope.kinds:
        ends.append(copying.last_row(tx, kind.table))
        counts[kind.name] = copying.count(tx, kind.table, _where(tx, kind, scope))
    header: dict[str, Any] = {
        "record": HEADER,
        "version": VERSION,
        "program": __version__,
        "created_at": clock.to_text(now),
        "agent": scope.reader.agent_id if scope.reader else None,
        "since": clock.to_text(scope.since) if scope.since else None,
        "vectors": scope.vectors,
        "counts": {name: count for name, count in counts.items() if count},
    }
    return RecordPage(records=[header], cursor=_cursor(0, 0, 0, ends))


def _where(tx: ReadTx, kind: RecordKind, scope: Scope) -> Where:
    """Return the condition on the exported rows `t` of a kind.

    A reader that is limited to a project gets rows of that project, and rows of memories that it may read.
    """
    where = _FIRST_PASSAGES if kind.name == VECTORS else Where("1")
    if scope.since is not None:
        where &= Where(f"COALESCE({kind.changed}, '~') >= ?", (clock.to_text(scope.since),))
    if scope.reader is None:
        return where
    if kind.owned:
        where &= Where(kind.owned, (scope.reader.agent_id,))
    if kind.memory is None and scope.reader.project is not None:
        has_project = any(one.name == "project" for one in copying.columns_of(tx, kind.table))
        where &= Where("t.project = ?", (scope.reader.project,)) if has_project else Where("0")
    if kind.memory is not None:
        seen = readable(scope.reader, "m")
        if kind.name == "history":
            seen &= since_shared(scope.reader, "t")
        memory = f"EXISTS (SELECT 1 FROM memories m WHERE m.id = t.{kind.memory} AND {seen.sql})"
        where &= Where(memory, seen.params)
    return where


def _read(
    tx: ReadTx, kind: RecordKind, where: Where, scope: Scope
) -> tuple[list[dict[str, Any]], int | None]:
    """Return the next records and the number of the last row; None when no rows are left."""
    found: list[dict[str, Any]] = []
    size, last = 0, None
    columns = copying.columns_of(tx, kind.table)
    with closing(copying.rows(tx, kind.table, where)) as rows:
        for row in rows:
            is_row = kind.name != VECTORS
            record = _record(kind, row, columns, scope.vectors) if is_row else _vectors(tx, row)
            if kind.name == "memory" and scope.seal_key:
                record[SEAL] = seal_of(record, scope.seal_key)
            found.append(record)
            size += sum(len(value) for value in record.values() if isinstance(value, str))
            last = int(row["row_number"])
            if len(found) == PAGE_ROWS or size >= PAGE_BYTES:
                return found, last
    return found, None


def _record(
    kind: RecordKind, row: Mapping[str, Any], columns: list[Column], blobs: bool
) -> dict[str, Any]:
    """Return a row as a record, without null values that are also the default."""
    record: dict[str, object] = {"record": kind.name}
    for column in columns:
        value = row[column.name]
        if column.name == ROW_NUMBER or (isinstance(value, bytes) and not blobs):
            continue
        if value is None and column.default is None and column.name not in kind.filled:
            continue
        record[column.name] = _text(value) if isinstance(value, bytes) else value
    return record


def _vectors(tx: ReadTx, row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "record": VECTORS,
        "memory_id": row["source_id"],
        "content_hash": row["content_hash"],
        "model": row["model"],
        "passages": [
            {"text": passage.text, "vector": _text(passage.vector)}
            for passage in tx.rows(sql.Passage, sql.PASSAGES, (row["source_id"],))
        ],
    }


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _cursor(kind: int, after: int, rows: int, ends: Sequence[int]) -> str:
    fields = [kind, after, rows, *ends]
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode()


def _place(cursor: str, kinds: int) -> tuple[int, int, int, list[int]]:
    """Return the progress at a cursor: the kind, its last row, the rows of all kinds, the last row of each."""
    try:
        fields = json.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (binascii.Error, ValueError, RecursionError):
        fields = None
    whole = isinstance(fields, list) and all(type(f) is int and abs(f) < 2**63 for f in fields)
    if not whole or len(fields) != 3 + kinds or not 0 <= fields[0] <= kinds:
        raise Invalid("the cursor does not belong to an export with these options")
    kind, after, rows, *ends = fields
    return kind, after, rows, ends
