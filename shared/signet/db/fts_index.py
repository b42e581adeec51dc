"""Full-text indexes: their parts, and building a new one next to the old one.

Small transactions fill a new index while the old one keeps answering; triggers add later changes. At the end the new
one replaces the old one in one step. After a crash, the next run continues.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from signet.db import script
from signet.db.dialect import HAS
from signet.db.transaction import ReadTx, WriteTx


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """A full-text index: its table, columns, tokenizer, and the prefix of its triggers' names.

    It reads the table through a view (see `signet.db.script`).
    """

    name: str
    table: str
    columns: tuple[str, ...]
    tokenize: str
    prefix: str

    @property
    def view(self) -> str:
        return script.view_name(self.table)

    def create(self, name: str) -> str:
        """Return the statement that creates it, empty, under a name."""
        listed = ", ".join(self.columns)
        return (
            f"CREATE VIRTUAL TABLE {name} USING fts5({listed}, content = '{self.view}',"
            f" content_rowid = 'seq', tokenize = '{self.tokenize}')"
        )


#: As the schema creates them.
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


def ensure(tx: WriteTx, indexes: Iterable[Index] = INDEXES) -> bool:
    """Create missing parts of the indexes, empty, and return whether any was missing (SCH-3).

    Without an index no row of its table can be written; without its triggers it gets no rows.
    """
    made = [statement for index in indexes for statement in missing(tx, index)]
    for statement in made:
        tx.run(statement)
    return bool(made)


def integrity(tx: ReadTx, index: Index) -> list[str]:
    """Return SQLite's check of an index: "ok", or its faults. It is slow and may be interrupted."""
    reopen(tx, index)
    return [str(row[0]) for row in tx.all(f"PRAGMA integrity_check('{index.name}')")]


def rows(tx: ReadTx, index: Index) -> int:
    return int(tx.value(f"SELECT COUNT(*) FROM {index.table}"))


def indexed_rows(tx: ReadTx, name: str) -> int | None:
    """Return the number of rows in the index of this name, or None."""
    if not (has(tx, name) and has(tx, f"{name}_docsize")):
        return None
    return int(tx.value(f"SELECT COUNT(*) FROM {name}_docsize"))


def has(tx: ReadTx, name: str) -> bool:
    """Return whether the schema has a table, view, index or trigger of this name."""
    return tx.value(HAS, (name,)) is not None


def reopen(tx: ReadTx, index: Index) -> None:
    """Make this connection forget its state of an index, before SQLite checks it.

    FTS5 notices merged segments of other connections only when a query opens the index. A check alone uses the
    remembered state, and reports segments removed since as lost (seen with SQLite 3.53.4).
    """
    if indexed_rows(tx, index.name) is not None:
        tx.all(f"SELECT rowid FROM {index.name} LIMIT 1")


def rebuild(tx: WriteTx) -> int:
    """Index all words of a server's database again; searches wait meanwhile."""
    from signet.db.postgres import words

    words.rebuild(cast(Any, tx.connection).raw)
    return 1


def begin(tx: WriteTx, *, index: Index) -> int:
    """Create the new index and its triggers, unless an earlier run has."""
    new, filled = f"{index.name}_new", f"{index.name}_filled"
    ensure(tx, [index])
    if has(tx, new) and has(tx, filled):
        return 0
    _clear(tx, index)
    tx.run(f"DROP TABLE IF EXISTS {new}")
    tx.run(index.create(new))
    tx.run(f"CREATE TABLE {filled} AS SELECT 0 AS seq")
    for statement in _filling(index).values():
        tx.run(statement)
    return 0


def fill(tx: WriteTx, *, index: Index, limit: int) -> int:
    """Add some rows to the new index; after the last one it replaces the old index, and 1 is returned."""
    new, filled, listed = f"{index.name}_new", f"{index.name}_filled", ", ".join(index.columns)
    done = tx.value(f"SELECT seq FROM {filled}")
    last = tx.value(
        f"SELECT MAX(seq) FROM (SELECT seq FROM {index.table} WHERE seq > ? ORDER BY seq LIMIT ?)",
        (done, limit),
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
    # The triggers of the table name the index, which is missing for a moment.
    tx.run("PRAGMA legacy_alter_table = ON")
    try:
        tx.run(f"ALTER TABLE {index.name}_new RENAME TO {index.name}")
    finally:
        tx.run("PRAGMA legacy_alter_table = OFF")
    # Processes cache rows of the old index (domain/recall/columns.py).
    tx.run("INSERT INTO memory_changes (seq) VALUES (0)")


def parts(index: Index) -> Mapping[str, str]:
    """Return the statements that create the index, its view, and its triggers, by name."""
    view = script.view(index.table, index.columns)
    return {index.view: view, index.name: index.create(index.name), **_triggers(index)}


def missing(tx: ReadTx, index: Index) -> list[str]:
    """Return the statements that create the missing parts of the index."""
    return [part for name, part in parts(index).items() if not has(tx, name)]


def _clear(tx: WriteTx, index: Index) -> None:
    for name in _filling(index):
        tx.run(f"DROP TRIGGER IF EXISTS {name}")
    tx.run(f"DROP TABLE IF EXISTS {index.name}_filled")


def _triggers(index: Index) -> Mapping[str, str]:
    return _following(index, index.name, index.prefix)


def _filling(index: Index) -> Mapping[str, str]:
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
    # The view shows the current row: index entries to remove are read before the change, entries to add after it.
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
