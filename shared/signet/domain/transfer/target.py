"""The target of an import: the database, or a preview over it (`take.py`).

With a preview both are read, and only the preview is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from signet.db import WriteTx, copying
from signet.db.copying import MAIN, STORE, Column
from signet.domain.graph import link
from signet.domain.memory import wording
from signet.domain.transfer import sql
from signet.domain.transfer.records import KINDS, RecordKind

MEMORY, ENTITY = "memory", "entity"
#: The alias of a left-out memory, instead of an ID.
_LEFT_OUT = ""
_FORGOTTEN = "forgotten_values"
_ERASED = "why = 'erased'"
_MENTIONS = "memory_entity_mentions"
_NAMES_BOTH = (
    "entity_id = :one AND memory_id IN"
    " (SELECT o.memory_id FROM memory_entity_mentions o WHERE o.entity_id = :other)"
)
_SAYS = (
    "value_hash = :hash AND agent_id = :agent_id"
    " AND (scope IS :scope OR scope IS NULL OR :scope IS NULL)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An open write transaction, and whether it is that of a preview."""

    tx: WriteTx
    is_preview: bool = False
    _columns: dict[str, list[Column]] = field(default_factory=dict)

    @property
    def schemas(self) -> tuple[str, ...]:
        """Return the databases to read, the written one first."""
        return (MAIN, STORE) if self.is_preview else (MAIN,)

    def columns(self, kind: RecordKind) -> list[Column]:
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
        """Return the local ID of a record, None if it is missing."""
        if self._has(KINDS[kind], given):
            return given
        for schema in self.schemas:
            alias = self.tx.value(sql.ALIAS.format(schema), (kind, given))
            if alias is not None and self._has(KINDS[kind], alias):
                return alias
        return None

    def keep_alias(self, kind: RecordKind, given: object, ours: object) -> None:
        """Record the local ID of a known record, and correct the rows that have its original ID."""
        self.tx.run(sql.KEEP_ALIAS, (kind.name, given, ours))
        for reference in kind.references:
            if reference.kind == kind.name:
                copying.redirect(self.tx, kind.table, reference.column, old=given, new=ours)

    def is_forgotten(
        self, agent_id: object, scope: object, text: str, *, is_hidden: bool = False
    ) -> bool:
        """Return whether an agent has forgotten a text; hidden rows are left out only if it was erased."""
        if self.find(_FORGOTTEN, "1", {}) is None:
            return False
        said = wording.read_value(text)
        owner = {"agent_id": agent_id, "scope": scope}
        says = f"{_SAYS} AND {_ERASED}" if is_hidden else _SAYS
        known = (self.find(_FORGOTTEN, says, {**owner, "hash": one}) for one in said.hashes)
        whole, *parts = (one is not None for one in known)
        return whole or (bool(parts) and all(parts))

    def leave_out(self, memory_id: object, kind: str = MEMORY) -> None:
        """Record that a memory or entity of the file is left out, for the records that name it."""
        self.tx.run(sql.KEEP_ALIAS, (kind, memory_id, _LEFT_OUT))

    def is_left_out(self, given: object, kind: str = MEMORY) -> bool:
        """Return whether a memory or an entity was left out, or was erased."""
        if not isinstance(given, str) or self.id_of(kind, given) is not None:
            return False
        for schema in self.schemas:
            if self.tx.value(sql.ALIAS.format(schema), (kind, given)) == _LEFT_OUT:
                return True
        erased = f"memory_id = :id AND {_ERASED}"
        return kind == MEMORY and self.find(_FORGOTTEN, erased, {"id": given}) is not None

    def is_of_forgotten_session(self, agent_id: object, key: object) -> bool:
        table, both = "forgotten_sessions", {"agent": agent_id, "key": key}
        where = "agent_id = :agent AND session_key = :key"
        return copying.find(self.tx, table, where, both, schema=self.schemas[-1]) is not None

    def leave_out_name(self, memory_id: object, given: object) -> None:
        """Record that a left-out memory names an entity, which is deleted if nothing else names it."""
        ours = self.id_of(ENTITY, given)
        if ours is None:
            return
        self.tx.run(sql.KEEP_ALIAS, (sql.NAMED, f"{ours} {memory_id}", _LEFT_OUT))
        if link.unname(self.tx, str(ours)):
            self.leave_out(given, ENTITY)

    def is_said_by_left_out(self, one: object, other: object) -> bool:
        """Return whether only left-out memories name both of two entities."""
        statements = map(sql.NAMED_BOTH.format, self.schemas)
        is_said = any(self.tx.value(statement, (one, other)) for statement in statements)
        return is_said and not self.find(_MENTIONS, _NAMES_BOTH, {"one": one, "other": other})

    def _has(self, kind: RecordKind, given: object) -> bool:
        [key] = kind.key
        return self.find(kind.table, f"{key} = :key", {"key": given}) is not None
