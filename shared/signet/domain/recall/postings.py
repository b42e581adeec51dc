"""The rows of words that questions have asked for, with what bm25 makes of each, kept in this process.

bm25 of a word in a row is what the word weighs (by how many rows hold it) times how much the row is about it (how often
it occurs, in how long a text). The second is kept, and the first worked out anew: so a row that comes or goes changes
nothing of the others.
"""

import math
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from signet.db import ReadTx, fts
from signet.domain.recall.sql import reading

Rows = npt.NDArray[np.int32]
Parts = npt.NDArray[np.float32]

#: Bytes of all words that are kept; the one that nobody has asked for longest goes first.
MOST_BYTES = 8 * 1024 * 1024
ROW_BYTES = 8

#: Changes of texts that are remembered: what is older than these is read anew.
CHANGES = 10_000

#: The mean length of all texts may move by this share before a word is read anew: bm25 measures lengths by it.
DRIFT = 0.05

#: A word of more rows counts in each as if it stood there once, in a text of mean length: to ask for the bm25 of a row
#: costs 1.4 µs the first time that a word is asked for, and one of so many rows weighs little.
MOST_RANKED = 4_096

#: The least that FTS5 lets a word weigh (https://sqlite.org/fts5.html#the_bm25_function).
NO_WEIGHT = 1e-6


class Posting(NamedTuple):
    """The rows that hold a word, ascending, and their parts of bm25 but for the word's weight."""

    rows: Rows
    parts: Parts
    #: The change up to which this holds, and the mean length of a text then.
    at: int
    mean: float


def weight(holding: int, rows: int) -> float:
    """Return what bm25 makes of how many of all rows hold a word."""
    share = (rows - holding + 0.5) / (holding + 0.5)
    return max(NO_WEIGHT, math.log(share)) if share > 0 else NO_WEIGHT


class Postings:
    """The words of one table; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Posting] = OrderedDict()
        self._bytes = 0
        #: Changes of texts, ascending, and the rows; what is behind the first is known.
        self._numbers: list[int] = []
        self._seqs: list[int] = []
        self._begin = 0

    def changed(self, texts: Sequence[tuple[int, int]]) -> None:
        """Note changes of texts: (number, row), ascending."""
        with self._lock:
            self._numbers += [number for number, _ in texts]
            self._seqs += [seq for _, seq in texts]
            if len(self._numbers) > CHANGES:
                cut = len(self._numbers) - CHANGES // 2
                self._begin = self._numbers[cut - 1]
                del self._numbers[:cut], self._seqs[:cut]

    def of(self, tx: ReadTx, word: str, *, rows: int, mean: float, at: int | None) -> Posting:
        """Return the rows of a word, of `rows` in all whose texts are `mean` long.

        `at` is the newest change of the snapshot; None where the table is newer, and then nothing is kept.
        """
        with self._lock:
            known = self._kept.get(word)
            if known is not None:
                self._kept.move_to_end(word)
                if at is None or known.at >= at:
                    return known
                span = (bisect_right(self._numbers, known.at), bisect_right(self._numbers, at))
                changed = self._seqs[slice(*span)]
                is_near = abs(known.mean - mean) <= DRIFT * mean and known.at >= self._begin
        until = at or 0
        if known is None or not is_near:
            made = _read(tx, word, rows, until, mean)
        elif changed:
            made = _changed(tx, known, word, changed, rows, until)
        else:
            made = known._replace(at=until)
        if at is not None:
            self._keep(word, made)
        return made

    def _keep(self, word: str, made: Posting) -> None:
        with self._lock:
            old = self._kept.pop(word, None)
            self._kept[word] = made
            self._bytes += _size(made) - (_size(old) if old else 0)
            while self._bytes > MOST_BYTES and len(self._kept) > 1:
                self._bytes -= _size(self._kept.popitem(last=False)[1])


def _size(posting: Posting) -> int:
    #: A word of no rows is kept, too, and takes some room.
    return ROW_BYTES * (len(posting.rows) + 64)


def _read(tx: ReadTx, word: str, rows: int, at: int, mean: float) -> Posting:
    match = fts.any_of([word])
    ranks = reading.ranks(tx, match, MOST_RANKED + 1)
    if len(ranks) <= MOST_RANKED:
        return Posting(*_parts(ranks, weight(len(ranks), rows)), at, mean)
    holding = reading.holding_rows(tx, match).astype(np.int32)
    return Posting(holding, np.ones(len(holding), dtype=np.float32), at, mean)


def _changed(
    tx: ReadTx, known: Posting, word: str, changed: Sequence[int], rows: int, at: int
) -> Posting:
    """Return a posting with some rows read anew."""
    again = set(changed)
    stays = ~np.isin(known.rows, list(again))
    found = reading.ranks_of(tx, fts.any_of([word]), again)
    held, parts = known.rows[stays], known.parts[stays]
    new, new_parts = _parts(found, weight(len(held) + len(found), rows))
    held, parts = np.concatenate([held, new]), np.concatenate([parts, new_parts])
    order = held.argsort(kind="stable")
    return Posting(held[order], parts[order], at, known.mean)


def _parts(ranks: Sequence[tuple[int, float]], weighs: float) -> tuple[Rows, Parts]:
    held = np.array([row for row, _ in ranks], dtype=np.int32)
    return held, np.array([-rank / weighs for _, rank in ranks], dtype=np.float32)
