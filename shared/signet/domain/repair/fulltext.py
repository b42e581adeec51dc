"""Full-text indexes: do they hold what their tables hold, and making them anew beside the old ones.

A new index is filled in small transactions while the old one goes on answering; triggers bring what changes meanwhile
into it. At the end it takes the old one's place in one step. Killed anywhere, the next run goes on where this one
stopped. Reads, and all writes but one step, meet no lock for longer than a few milliseconds.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from signet.db import ReadTx, WriteTx, script
from signet.db.driver import sqlite
from signet.domain.diagnostics import counts as diagnostics
from signet.domain.repair.models import Done, Order
from signet.domain.repair.sql import fulltext as sql
from signet.domain.repair.work import Work

#: Rows that are indexed in one transaction (some 10 ms), and what others get between two.
STEP = 200
PAUSE_SECONDS = 0.005
#: How long an index is read through for a check.
READ_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """One full-text index: its table, the columns it holds, how it cuts words, what its triggers' names begin with.

    It reads the table through a view (see `signet.db.script`).
    """

    name: str
    table: str
    columns: tuple[str, ...]
    tokenize: str
    prefix: str

    @property
    def view(self) -> str:
        """Return the name of the view that it reads."""
        return script.view_name(self.table)

    def create(self, name: str) -> str:
        """Return the statement that makes it, empty, under a name."""
        listed = ", ".join(self.columns)
        return (
            f"CREATE VIRTUAL TABLE {name} USING fts5({listed}, content = '{self.view}',"
            f" content_rowid = 'seq', tokenize = '{self.tokenize}')"
        )


#: As the schema makes them.
INDEXES = (
    Index(
        name="memories_fts",
        table="memories",
        columns=("content",),
        tokenize="porter unicode61",
        prefix="memories",
    ),
    Index(
        name="memory_hints_fts",
        table="memory_hints",
        columns=("hint",),
        tokenize="porter unicode61",
        prefix="memory_hints_fts",
    ),
    Index(
        name="entities_fts",
        table="entities",
        columns=("name", "canonical_name"),
        tokenize="unicode61",
        prefix="entities_fts",
    ),
    Index(
        name="episode_chunks_fts",
        table="episode_chunks",
        columns=("content",),
        tokenize="porter unicode61",
        prefix="episode_chunks",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a look at one index found; `indexed` is None when it is missing, `fault` what SQLite says of it."""

    index: Index
    expected: int
    indexed: int | None
    fault: str | None = None

    @property
    def is_off(self) -> bool:
        """Return whether it must be made anew. Rows and index change in one transaction, so one row less is damage."""
        return self.indexed != self.expected or self.fault is not None

    def told(self) -> dict[str, object]:
        """Return what was seen as it is answered."""
        fault = {} if self.fault is None else {"fault": self.fault}
        return {
            "expected": self.expected,
            "indexed": self.indexed or 0,
            "mismatch": self.is_off,
            **fault,
        }


def ensure(tx: WriteTx, indexes: Iterable[Index] = INDEXES) -> bool:
    """Make what is missing of the indexes, empty, and return whether anything was (SCH-3).

    Without an index no row of its table can be written, without its triggers no row comes into it.
    """
    made = [statement for index in indexes for statement in _missing(tx, index)]
    for statement in made:
        tx.run(statement)
    return bool(made)


def look(tx: ReadTx) -> list[Seen]:
    """Compare every index with its table, and let SQLite read it through as far as there is time."""
    ends_at = time.monotonic() + READ_SECONDS
    return [_look(tx, index, ends_at) for index in INDEXES]


def preview(tx: ReadTx, order: Order) -> Done:
    """Say whether full text is consistent."""
    return _told(tx, look(tx))


def check(work: Work) -> Done:
    """Make anew every index that differs from its table; several that ask at once share one run (RP-8).

    What an earlier run has begun is brought to its end.
    """
    seen = work.db.read(look)
    found = work.db.read(_told, seen)
    for one in seen:
        if one.is_off or work.db.read(ReadTx.value, sql.HAS, (f"{one.index.name}_new",)):
            rebuild(work, one.index)
    if not work.affected:
        return found
    return replace(found, affected=1, message=f"{found.message} — rebuilt")


def rebuild(work: Work, index: Index) -> None:
    """Make one index anew."""
    work.write(partial(_begin, index=index))
    while not work.step(partial(_fill, index=index)):
        time.sleep(PAUSE_SECONDS)


def _told(tx: ReadTx, seen: list[Seen]) -> Done:
    memories = seen[0]
    total, deleted = diagnostics.memories(tx)
    details = {"indexes": {one.index.name: one.told() for one in seen}}
    off = [one for one in seen if one.is_off]
    rows = memories.indexed or 0
    if not off:
        message = f"FTS consistent: {total - deleted} active, {rows} FTS rows"
        return Done(affected=0, message=message, details=details)
    message = f"FTS mismatch: {total - deleted} active memories vs {rows} FTS rows"
    others = [one.index.name for one in off if one is not memories]
    if others:
        message += f" ({', '.join(others)} too)" if memories.is_off else f" ({', '.join(others)})"
    return Done(affected=1, message=message, details=details)


def _look(tx: ReadTx, index: Index, ends_at: float) -> Seen:
    expected = int(tx.value(f"SELECT COUNT(*) FROM {index.table}"))
    indexed = diagnostics.indexed_rows(tx, index.name)
    is_whole = indexed is not None and not _missing(tx, index)
    fault = _fault(tx, index, ends_at) if is_whole else "a part of it is missing"
    return Seen(index=index, expected=expected, indexed=indexed, fault=fault)


def reopen(tx: ReadTx, index: Index) -> None:
    """Let this connection forget what it knew of an index, before SQLite checks it.

    FTS5 looks whether others have merged segments only when a query opens the index. A check alone goes by what this
    connection remembers, and takes segments that are gone since for lost (seen with SQLite 3.53.4).
    """
    if diagnostics.indexed_rows(tx, index.name) is not None:
        tx.all(f"SELECT rowid FROM {index.name} LIMIT 1")


def _fault(tx: ReadTx, index: Index, ends_at: float) -> str | None:
    """Return what SQLite finds wrong inside an index, None when nothing, or when there was no time to find it."""
    tx.connection.set_progress_handler(lambda: int(time.monotonic() > ends_at), 10_000)
    try:
        reopen(tx, index)
        said = [str(row[0]) for row in tx.all(f"PRAGMA integrity_check('{index.name}')")]
    except sqlite.OperationalError:
        return None
    except sqlite.DatabaseError as error:
        return str(error)
    finally:
        tx.connection.set_progress_handler(None, 0)
    found = [line for line in said if line != "ok"]
    return found[0][:200] if found else None


def _begin(tx: WriteTx, *, index: Index) -> int:
    """Make the new index and its triggers, unless an earlier run has."""
    new, filled = f"{index.name}_new", f"{index.name}_filled"
    ensure(tx, [index])
    if tx.value(sql.HAS, (new,)) and tx.value(sql.HAS, (filled,)):
        return 0
    _clear(tx, index)
    tx.run(f"DROP TABLE IF EXISTS {new}")
    tx.run(index.create(new))
    tx.run(f"CREATE TABLE {filled} AS SELECT 0 AS seq")
    for statement in _filling(index).values():
        tx.run(statement)
    return 0


def _fill(tx: WriteTx, *, index: Index) -> int:
    """Bring some rows into the new index; after the last it takes the place of the old one, and 1 comes back."""
    new, filled, listed = f"{index.name}_new", f"{index.name}_filled", ", ".join(index.columns)
    done = tx.value(f"SELECT seq FROM {filled}")
    last = tx.value(
        f"SELECT MAX(seq) FROM (SELECT seq FROM {index.table} WHERE seq > ? ORDER BY seq LIMIT ?)",
        (done, STEP),
    )
    if last is None:
        _swap(tx, index)
        return 1
    tx.run(
        f"INSERT INTO {new} (rowid, {listed}) SELECT seq, {listed} FROM {index.view} WHERE seq > ? AND seq <= ?",
        (done, last),
    )
    tx.run(f"UPDATE {filled} SET seq = ?", (last,))
    return 0


def _swap(tx: WriteTx, index: Index) -> None:
    _clear(tx, index)
    tx.run(f"DROP TABLE {index.name}")
    # The triggers of the table name the index, which is not there for a moment.
    tx.run("PRAGMA legacy_alter_table = ON")
    try:
        tx.run(f"ALTER TABLE {index.name}_new RENAME TO {index.name}")
    finally:
        tx.run("PRAGMA legacy_alter_table = OFF")
    # Processes keep what they have read of the old index (domain/recall/columns.py).
    tx.run("INSERT INTO memory_changes (seq) VALUES (0)")


def parts(index: Index) -> Mapping[str, str]:
    """Return the statements that make the index, the view that it reads, and its triggers, by name."""
    view = script.view(index.table, index.columns)
    return {index.view: view, index.name: index.create(index.name), **_triggers(index)}


def _missing(tx: ReadTx, index: Index) -> list[str]:
    """Return the statements that make the parts of the index that are not there."""
    return [part for name, part in parts(index).items() if tx.value(sql.HAS, (name,)) is None]


def _clear(tx: WriteTx, index: Index) -> None:
    for name in _filling(index):
        tx.run(f"DROP TRIGGER IF EXISTS {name}")
    tx.run(f"DROP TABLE IF EXISTS {index.name}_filled")


def _triggers(index: Index) -> Mapping[str, str]:
    """Return the triggers that bring all changes into the index, by name, as the schema has them."""
    return _following(index, index.name, index.prefix)


def _filling(index: Index) -> Mapping[str, str]:
    """Return the triggers that bring changes of rows that were filled in already into the new index, by name."""
    return _following(index, f"{index.name}_new", f"{index.name}_new", f"{index.name}_filled")


def _following(
    index: Index, target: str, prefix: str, filled: str | None = None
) -> Mapping[str, str]:
    listed = ", ".join(index.columns)
    drop = f"INSERT INTO {target} ({target}, rowid, {listed}) SELECT 'delete', seq, {listed}"
    add = f"INSERT INTO {target} (rowid, {listed}) SELECT seq, {listed}"
    drop, add = (
        f"BEGIN {change} FROM {index.view} WHERE seq = {side}.seq; END"
        for change, side in ((drop, "old"), (add, "new"))
    )
    old, new = (
        f"WHEN {side}.seq <= (SELECT seq FROM {filled}) " if filled else ""
        for side in ("old", "new")
    )
    # The view shows a row as it is: what goes out of the index is read before the change, what comes in after it.
    changes = {
        "bd": f"BEFORE DELETE ON {index.table} {old}{drop}",
        "ai": f"AFTER INSERT ON {index.table} {new}{add}",
        "bu": f"BEFORE UPDATE OF {listed} ON {index.table} {old}{drop}",
        "au": f"AFTER UPDATE OF {listed} ON {index.table} {new}{add}",
    }
    return {
        f"{prefix}_{kind}": f"CREATE TRIGGER {prefix}_{kind} {rest}"
        for kind, rest in changes.items()
    }
