"""Records of an import or export, and their outcomes."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

#: The first and the last record of a Signet export; vectors and texts, which are no rows.
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

    def of(self, fate: Fate) -> int:
        return sum(number for (_, met), number in self.counts.items() if met is fate)

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Return `{kind: {new, known, forgotten, refused}}`, kinds in the order of the source."""
        kinds = dict.fromkeys(kind for kind, _ in self.counts)
        return {kind: {fate: self.counts[kind, fate] for fate in Fate} for kind in kinds}


def line(record: Record) -> str:
    """Return a record as one line of a file, always the same line for the same record."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
