"""How narrow the filters of a question are: whether it is cheaper to list all that passes them.

A channel looks at its best one by one until enough pass. When few do, it is cheaper to list those once, and to ask
the channels about them alone: looking costs wanted / share, listing share · rows, so the border is where they meet.
Where indexes tell nearly the same without reading rows, nothing else is listed, however many pass.
"""

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from signet.db import ReadTx
from signet.db.visibility import Where
from signet.domain.recall import store

if TYPE_CHECKING:
    from signet.db.packed import Flags, Numbers

#: Rows whose fate tells the share that passes, evenly spread over the store.
SAMPLE = 256

#: Rows of those listed by indexes whose fate tells whether most of them pass.
TOLD_BY = 64

#: Candidates that the channels together want to pass, and what looking at one costs beside listing one.
WANTED = 400
LOOKING = 10

#: A sample may mislead: listing ends at so many times the number at the border.
TOO_MANY = 4

#: Rows that are listed from an index (each 0.1 µs; reading the row of a memory costs 1.5 µs, and more from the disk).
MOST_INDEXED = 200_000


class Narrow:
    """The filters of one question in one snapshot."""

    def __init__(self, where: Where, indexed: Sequence[Where] = ()) -> None:
        """Keep the condition, and parts of it that an index answers alone."""
        self.where = where
        self._indexed = indexed
        self._asked = False
        self._flags: Flags | None = None
        self._rough: Flags | None = None
        self._told: bool | None = None
        self._looked: dict[int, store.Allowed | None] = {}

    def allowed(self, tx: ReadTx, seqs: Collection[int]) -> dict[int, store.Allowed]:
        """Return those of the given memories that pass, with what later stages need; each is read once."""
        new = [seq for seq in seqs if seq not in self._looked]
        if new:
            self._looked |= {**dict.fromkeys(new), **store.allowed(tx, new, self.where)}
        return {seq: row for seq in seqs if (row := self._looked[seq]) is not None}

    def best(self, tx: ReadTx, seqs: Sequence[int], limit: int) -> dict[int, store.Allowed]:
        """Return those of the first `limit` that pass; of a quarter more where these are fewer."""
        passing = self.allowed(tx, seqs[:limit])
        if len(passing) < limit:
            passing = self.allowed(tx, seqs[: limit + limit // 4])
        return passing

    def passing(self, tx: ReadTx, seqs: Collection[int]) -> set[int]:
        """Return those of the given memories that pass."""
        return store.passing(tx, seqs, self.where)

    def flags(self, tx: ReadTx) -> "Flags | None":
        """Return for each row number whether it passes, when few do and indexes do not tell it, else None."""
        return None if self._is_told(tx) else self._listed(tx)

    def roughly(self, tx: ReadTx) -> "Flags | None":
        """Return for each row number whether it may pass, where indexes tell, else None; found out once."""
        for one in self._indexed:
            found = store.all_passing(tx, one, most=MOST_INDEXED + 1)
            if len(found) <= MOST_INDEXED:
                flags = _flags(found, store.highest(tx))
                self._rough = flags if self._rough is None else self._rough & flags
        self._indexed = ()
        return self._rough

    def rows(self, tx: ReadTx) -> list[int] | None:
        """Return all that pass when they are few, else None."""
        flags = self._listed(tx)
        if flags is None:
            return None
        found: list[int] = flags.nonzero()[0].tolist()
        return found

    def _is_told(self, tx: ReadTx) -> bool:
        """Return whether most of those pass that may pass by the indexes; found out once."""
        if self._told is None:
            rough = self.roughly(tx)
            rows: list[int] = [] if rough is None else rough.nonzero()[0].tolist()
            some = rows[:: max(1, len(rows) // TOLD_BY)]
            self._told = rough is not None and 2 * len(self.passing(tx, some)) >= len(some)
        return self._told

    def _listed(self, tx: ReadTx) -> "Flags | None":
        if not self._asked:
            self._asked = True
            self._flags = self._list(tx)
        return self._flags

    def _list(self, tx: ReadTx) -> "Flags | None":
        highest = store.highest(tx)
        sample = range(1, highest + 1, max(1, highest // SAMPLE))
        border = math.sqrt(WANTED * LOOKING * highest)
        if len(self.passing(tx, sample)) * highest > border * len(sample):
            return None
        most = TOO_MANY * math.ceil(border)
        found = store.all_passing(tx, self.where, most=most + 1)
        return None if len(found) > most else _flags(found, highest)


def _flags(rows: "Numbers", highest: int) -> "Flags":
    """Return for each row number up to the highest whether it is one of these."""
    import numpy as np

    flags = np.zeros(highest + 1, dtype=np.bool_)
    flags[rows] = True
    return flags
