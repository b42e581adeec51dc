"""One question's look at the store: the columns as its snapshot has them, and which rows pass its filters."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from signet.db import ReadTx
from signet.db.visibility import Where
from signet.domain.recall import scope
from signet.domain.recall.columns import Allowed, Columns, Flags, Table
from signet.domain.recall.models import Query
from signet.domain.recall.postings import Posting, weight


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The rows that may answer; none at first."""

    where: Where
    table: Table = field(default_factory=Table)
    flags: Flags = field(default_factory=lambda: np.zeros(1, dtype=np.bool_))
    #: The newest change of the snapshot, None where the columns have newer ones.
    at: int | None = None

    def rows(self, seqs: Collection[int]) -> list[int]:
        """Return those of the given memories that pass, in their order."""
        flags = self.flags
        return [seq for seq in seqs if seq < len(flags) and flags[seq]]

    def allowed(self, seqs: Collection[int]) -> dict[int, Allowed]:
        """Return those of the given memories that pass, with what later stages need."""
        return self.table.allowed(self.rows(seqs))

    def posting(self, tx: ReadTx, word: str) -> Posting:
        """Return the rows that hold a word, whoever may read them, and their parts of bm25."""
        table = self.table
        mean = table.chars / max(1, table.count)
        return table.postings.of(tx, word, rows=table.count, mean=mean, at=self.at)

    def held(self, tx: ReadTx, words: Sequence[str]) -> dict[str, int]:
        """Return how many rows hold each word, whoever may read them."""
        return {word: len(self.posting(tx, word).rows) for word in words}

    def weight(self, posting: Posting) -> float:
        """Return what a word weighs in bm25."""
        return weight(len(posting.rows), self.table.count)


def of(tx: ReadTx, query: Query) -> View:
    """Return a question's view; raises Invalid for a time that is none."""
    columns = tx.caches.of(Columns) if tx.caches is not None else Columns()
    with columns.lock:
        table, at = columns.fresh(tx)
        flags = scope.flags(tx, query, table)
    return View(where=scope.condition(query), table=table, flags=flags, at=at)
