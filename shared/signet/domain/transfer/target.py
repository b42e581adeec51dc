"""Where an import looks and writes: the database, or a preview laid over it (`preview.py`).

With a preview every question is asked of both, and only the preview is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from signet.db import Row, WriteTx
from signet.domain.transfer.columns import Column, columns_of
from signet.domain.transfer.kinds import KINDS, Kind

MAIN = "main"
#: The name under which a preview has the real database attached.
STORE = "store"

_ALIAS = "SELECT id FROM {}.import_aliases WHERE kind = ? AND foreign_id = ?"
_KEEP = "INSERT OR REPLACE INTO import_aliases (kind, foreign_id, id) VALUES (?, ?, ?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An open write transaction, and whether it is that of a preview."""

    tx: WriteTx
    is_preview: bool = False
    _columns: dict[str, list[Column]] = field(default_factory=dict)

    @property
    def schemas(self) -> tuple[str, ...]:
        """Return the databases to ask, the one that is written first."""
        return (MAIN, STORE) if self.is_preview else (MAIN,)

    def columns(self, kind: Kind) -> list[Column]:
        """Return the columns of a kind's table."""
        if kind.table not in self._columns:
            self._columns[kind.table] = columns_of(self.tx, kind.table)
        return self._columns[kind.table]

    def find(self, kind: Kind, condition: str, values: Mapping[str, object]) -> Row | None:
        """Return the first row of a kind under a condition with `:name` parameters."""
        for schema in self.schemas:
            sql = f"SELECT * FROM {schema}.{kind.table} WHERE {condition} LIMIT 1"
            found = self.tx.one(sql, values)
            if found is not None:
                return found
        return None

    def id_of(self, kind: str, given: object) -> object:
        """Return the id under which a record is here, None when it is not."""
        if self._has(KINDS[kind], given):
            return given
        for schema in self.schemas:
            alias: object = self.tx.value(_ALIAS.format(schema), (kind, given))
            if alias is not None and self._has(KINDS[kind], alias):
                return alias
        return None

    def keep_alias(self, kind: Kind, given: object, ours: object) -> None:
        """Note that a record is here under another id, and correct what named it before it came."""
        self.tx.run(_KEEP, (kind.name, given, ours))
        for reference in kind.references:
            if reference.kind == kind.name:
                column = reference.column
                sql = f"UPDATE {kind.table} SET {column} = ? WHERE {column} = ?"
                self.tx.run(sql, (ours, given))

    def _has(self, kind: Kind, given: object) -> bool:
        [key] = kind.key
        return self.find(kind, f"{key} = :key", {"key": given}) is not None
