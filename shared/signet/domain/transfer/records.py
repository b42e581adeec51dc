"""Records of an import or export, and their outcomes."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from signet import resources

#: The first and the last record of a Signet export; vectors and texts, which are not rows.
HEADER, END = "signet", "end"
VECTORS, TEXT = "vectors", "text"
#: The version of FORMAT.md; a file of a later one is refused.
VERSION = 1

#: A JSON object with its kind under `record`. (Not `kind`: some tables have a column of that name.)
Record = Mapping[str, object]


class Fate(StrEnum):
    """The outcome of a record, or its previewed one."""

    NEW = "new"
    KNOWN = "known"
    #: Its content was forgotten.
    FORGOTTEN = "forgotten"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOutcome:
    """The outcome of one record; `reason` explains a refusal."""

    fate: Fate
    reason: str | None = None


NEW = ImportOutcome(fate=Fate.NEW)
KNOWN = ImportOutcome(fate=Fate.KNOWN)
FORGOTTEN = ImportOutcome(fate=Fate.FORGOTTEN)


class RecordRefused(Exception):
    """A record cannot be imported, for the reason in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """One record of a source.

    `where` is its position for people, `done` the progress in the unit of the source's total. A record that cannot be
    read has a `fault` instead of a value.
    """

    where: str
    done: int
    value: Record = field(default_factory=dict)
    fault: str | None = None


@dataclass(slots=True)
class Tally:
    """The number of records by kind and outcome."""

    counts: Counter[tuple[str, Fate]] = field(default_factory=Counter)

    def add(self, kind: str, fate: Fate, number: int = 1) -> None:
        self.counts[kind, fate] += number

    def count(self, fate: Fate) -> int:
        return sum(number for (_, met), number in self.counts.items() if met is fate)

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Return `{kind: {new, known, forgotten, refused}}`, kinds in the order of the source."""
        kinds = dict.fromkeys(kind for kind, _ in self.counts)
        return {kind: {fate: self.counts[kind, fate] for fate in Fate} for kind in kinds}


def line(record: Record) -> str:
    """Return a record as one line of a file, always the same line for the same record."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


#: Row numbers are assigned again, in the order of the file.
ROW_NUMBER = "seq"


@dataclass(frozen=True, slots=True)
class Reference:
    """A column with the ID of another record; an optional one may name a missing record."""

    column: str
    kind: str
    needed: bool = True


@dataclass(frozen=True, slots=True)
class RecordKind:
    """One kind of record.

    `key` are the columns that identify a row. `same` are conditions on an existing row, with the columns of a new one
    as `:name`, under which both are equal; a record known by another ID gets an alias. For an export of what one agent
    may read, `owned` is a condition on a row `t` of the agent `?`, and `memory` the column of the memory that the agent
    must be able to read.
    """

    name: str
    table: str
    key: tuple[str, ...] = ("id",)
    references: tuple[Reference, ...] = ()
    same: tuple[str, ...] = ()
    owned: str = "t.agent_id = ?"
    memory: str | None = None
    #: When a row last changed, for exports since an instant.
    changed: str = "t.created_at"
    #: Columns that other code parses as JSON; `tags` only if the text starts like a list.
    json: tuple[str, ...] = ()
    #: Columns that an import fills if they are absent, so that an export writes null.
    filled: tuple[str, ...] = ()


def _kind(name: str, row: dict[str, Any]) -> RecordKind:
    """Return the kind of a row of the table."""
    row |= {key: tuple(row[key]) for key in ("key", "json", "filled") if key in row}
    pairs = (one.split(": ") for one in row.pop("references", ()))
    row["references"] = tuple(
        Reference(own, of.rstrip("?"), needed=of[-1] != "?") for own, of in pairs
    )
    row["same"] = tuple(" AND ".join(map(_condition, one)) for one in row.pop("same", ()))
    return RecordKind(name, **row)


def _condition(text: str) -> str:
    return text if " " in text else f"{text} = :{text}"


KINDS = {name: _kind(name, row) for name, row in resources.table(__file__).items()}
