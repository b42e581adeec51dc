"""One record of an import or export, and what becomes of it."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

#: The first and the last record of a file of ours, and what is neither a row nor a text.
HEADER, END = "signet", "end"
VECTORS, TEXT = "vectors", "text"
#: The version of FORMAT.md; a file of a later one is refused.
VERSION = 1

#: A JSON object that says under `record` what it is. (Not `kind`: some tables have a column of that name.)
Record = Mapping[str, object]


class Fate(StrEnum):
    """What became, or would become, of a record."""

    NEW = "new"
    KNOWN = "known"
    #: Somebody has forgotten what it says.
    FORGOTTEN = "forgotten"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one record; `reason` says why it was refused."""

    fate: Fate
    reason: str | None = None


NEW = Outcome(fate=Fate.NEW)
KNOWN = Outcome(fate=Fate.KNOWN)
FORGOTTEN = Outcome(fate=Fate.FORGOTTEN)


class Refused(Exception):
    """A record cannot be taken in; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One record of a source.

    `where` names its place for people, `done` how far the source is read, in the unit of its total. A record that
    could not be read has a `fault` instead of a value.
    """

    where: str
    done: int
    value: Record = field(default_factory=dict)
    fault: str | None = None


@dataclass(slots=True)
class Tally:
    """How many records of each kind met which fate."""

    counts: Counter[tuple[str, Fate]] = field(default_factory=Counter)

    def add(self, kind: str, fate: Fate, number: int = 1) -> None:
        """Count records of a kind."""
        self.counts[kind, fate] += number

    def of(self, fate: Fate) -> int:
        """Return how many records met a fate."""
        return sum(number for (_, met), number in self.counts.items() if met is fate)

    def by_kind(self) -> dict[str, dict[str, int]]:
        """Return `{kind: {new, known, forgotten, refused}}`, kinds in the order in which they came."""
        kinds = dict.fromkeys(kind for kind, _ in self.counts)
        return {kind: {fate: self.counts[kind, fate] for fate in Fate} for kind in kinds}


def line(record: Record) -> str:
    """Return a record as one line of a file, always the same one for the same record."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
