"""Where an import looks and writes: the database, or a preview laid over it (`preview.py`).

With a preview every question is asked of both, and only the preview is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signet.db import WriteTx, copying
from signet.db.copying import MAIN, STORE, Column
from signet.domain.transfer import sql
from signet.domain.transfer.kinds import KINDS, Kind


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
            self._columns[kind.table] = copying.columns_of(self.tx, kind.table)
        return self._columns[kind.table]

    def find(self, table: str, condition: str, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the first row of a table under a condition with `:name` parameters."""
        for schema in self.schemas:
            found = copying.find(self.tx, table, condition, values, schema=schema)
            if found is not None:
                return found
        return None

    def id_of(self, kind: str, given: object) -> object:
        """Return the id under which a record is here, None when it is not."""
        if self._has(KINDS[kind], given):
            return given
        for schema in self.schemas:
            alias = self.tx.value(sql.ALIAS.format(schema), (kind, given))
            if alias is not None and self._has(KINDS[kind], alias):
                return alias
        return None

    def keep_alias(self, kind: Kind, given: object, ours: object) -> None:
        """Store that a record is here under another id, and correct the rows that name it by the first."""
        self.tx.run(sql.KEEP_ALIAS, (kind.name, given, ours))
        for reference in kind.references:
            if reference.kind == kind.name:
                copying.redirect(self.tx, kind.table, reference.column, old=given, new=ours)

    def _has(self, kind: Kind, given: object) -> bool:
        [key] = kind.key
        return self.find(kind.table, f"{key} = :key", {"key": given}) is not None
