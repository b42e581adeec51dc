"""Columns of all memories for ranking, as NumPy arrays in this process, kept in sync with the rows.

Triggers number every change of a memory in `memory_changes`, in any process, and keep the newest 10,000. Each recall
first reads the rows changed since the previous one; a process that is further behind, or whose file was restored to an
older state, reads every row. Texts needed only for comparison are stored as 64-bit hashes. A memory takes about 200
bytes. Only ranking relies on these columns: the rows of a page are read with the full condition.
"""

import math
import threading
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from signet import clock
from signet.db import ReadTx, barrier, fts
from signet.db.caches import Bounded
from signet.domain.embeddings import vectors
from signet.domain.recall.sql import reading
from signet.ids import space_of

Rows = npt.NDArray[np.int32]
Parts = npt.NDArray[np.float32]

#: Maximum rows of cached postings, of 8 bytes each; the least recently used are dropped first. A word without rows
#: counts as some rows, too.
MOST_ROWS, EMPTY_ROWS = 1024 * 1024, 64

#: Cached text changes; older postings are read again.
CHANGES = 10_000

#: A posting is read again if the mean text length, which bm25 uses, changes by this share.
DRIFT = 0.05

#: A word in more rows counts in each as one occurrence in a text of mean length: reading a row's bm25 takes 1.4 µs, and
#: such a word weighs little.
MOST_RANKED = 4_096

#: The minimum weight of a word in FTS5 (https://sqlite.org/fts5.html#the_bm25_function).
NO_WEIGHT = 1e-6


class Posting(NamedTuple):
    """The rows that contain a word, ascending, and their bm25 without the word's weight."""

    rows: Rows
    parts: Parts
    #: The change up to which this holds, and the mean text length then.
    at: int
    mean: float


def weight(holding: int, rows: int) -> float:
    """Return bm25's weight of a word that `holding` of all rows contain."""
    share = (rows - holding + 0.5) / (holding + 0.5)
    return max(NO_WEIGHT, math.log(share)) if share > 0 else NO_WEIGHT


class Postings:
    """Cached postings of one table; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: Bounded[str, Posting] = Bounded(
            MOST_ROWS, lambda one: EMPTY_ROWS + len(one.rows)
        )
        #: Text changes, ascending, and their rows; earlier changes are not known.
        self._numbers: list[int] = []
        self._seqs: list[int] = []
        self._begin = 0

    def changed(self, texts: Sequence[tuple[int, int]]) -> None:
        """Record changes of texts: (number, row), ascending."""
        with self._lock:
            self._numbers += [number for number, _ in texts]
            self._seqs += [seq for _, seq in texts]
            if len(self._numbers) > CHANGES:
                cut = len(self._numbers) - CHANGES // 2
                self._begin = self._numbers[cut - 1]
                del self._numbers[:cut], self._seqs[:cut]

    def find(self, tx: ReadTx, word: str, *, rows: int, mean: float, at: int | None) -> Posting:
        """Return the posting of a word, given `rows` texts of `mean` length.

        `at` is the newest change in the snapshot; None if the table is newer, and then nothing is cached.
        """
        with self._lock:
            known = self._kept.get(word)
            if known is not None:
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
            self._kept.put(word, made)
        return made


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
    """Return a posting with the changed rows read again."""
    again = set(changed)
    stays = ~np.isin(known.rows, list(again))
    found = reading.ranks_of(tx, fts.any_of([word]), again)
    held, parts = known.rows[stays], known.parts[stays]
    new, new_parts = _parts(found, weight(len(held) + len(found), rows))
    held, parts = np.concatenate([held, new]), np.concatenate([parts, new_parts])
    order = held.argsort(kind="stable")
    return Posting(held[order], parts[order], at, known.mean)


def _parts(ranks: Sequence[tuple[int, float, int]], weighs: float) -> tuple[Rows, Parts]:
    held = np.array([row for row, _, _ in ranks], dtype=np.int32)
    parts = [-rank / weighs if is_weighed else -rank for _, rank, is_weighed in ranks]
    return held, np.array(parts, dtype=np.float32)


Array = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

#: No snapshot is older. One with fewer changes than these columns is older only within this time; later it is a
#: restored file.
OLDEST_SNAPSHOT_MS = 30_000

#: More changes are not applied one by one: reading a whole store of 10,000 takes about as long.
MOST_CHANGES = 4_000

#: A time in the longest form that an older file may contain.
_TIME = "S32"

#: Columns whose texts are only compared; the others with their types; and those with the row of another memory.
HASHED = ("agent", "visibility", "scope", "project", "type", "who")
PLAIN = {
    "importance": "f8",
    "pinned": "?",
    "live": "?",
    "deleted_at": _TIME,
    "created_at": _TIME,
    "happened_at": _TIME,
    "superseded": "?",
    "asks": "?",
    "length": "i4",
    "ordinal": "i8",
    "parent": "i4",
    "everywhere": "?",
}
#: The source of a memory (for a fact, that of the memory it was extracted from), its direct source, its batch (saved at
#: the same instant in the same project; for a fact, extracted from the same memory), and its instant.
PLACES = ("source", "own_source", "batch", "instant")
#: Computed on first use: the previous and next memories.
LAZY = {"before": "i4", "after": "i4"}
TYPES = {
    **dict.fromkeys(HASHED, "i8"),
    **PLAIN,
    **dict.fromkeys(PLACES, "i8"),
    **LAZY,
    "exists": "?",
}
UNKNOWN = -1
NONE = 0

#: Columns that determine a memory's place among others.
_PLACING = ("own_source", "instant", "ordinal", "live", "scope", "agent", "exists", "source")


class Allowed(NamedTuple):
    """A candidate that passes every filter, with the values for later stages (a tuple for speed: hundreds are made)."""

    type: str
    created_at: str
    source: int | None
    batch: int | None
    passages: float
    is_superseded: bool
    asks: bool


def key(text: object) -> int:
    """Return the hash of a text for a column; 0 for None."""
    return NONE if text is None else hash(text) or 1


class Table:
    """The columns, by row number. Any thread may read while one writes: see `Columns`."""

    def __init__(self) -> None:
        self.size = 1
        #: Number of rows, forgotten ones included, and characters of all their texts.
        self.count = 0
        self.chars = 0
        self.postings = Postings()
        #: The hashes of spaces that memories have been in.
        self.spaces: set[int] = set()
        self._columns: dict[str, Array] = {name: np.zeros(1, dtype=t) for name, t in TYPES.items()}
        self._types: dict[int, str] = {}

    def __getitem__(self, name: str) -> Array:
        return self._columns[name][: self.size]

    def put(self, rows: Sequence[tuple[Any, ...]], texts: Collection[int] = ()) -> None:
        """Store rows of `reading.ranked`; `texts` are those whose text changed."""
        if not rows:
            return
        seqs, *values = zip(*rows, strict=True)
        places = np.array(seqs, dtype=np.int64)
        self._make_room(int(places.max()) + 1)
        read = dict(zip((*HASHED, *PLAIN, "own_source", "source", "id"), values, strict=True))
        new: dict[str, Any] = {name: [*map(key, read[name])] for name in HASHED}
        new |= {name: np.array(read[name], dtype=TYPES[name]) for name in PLAIN}
        new |= {name: [*map(key, read[name])] for name in ("own_source", "source")}
        new["instant"] = [
            NONE if project is None else key((project, at))
            for project, at in zip(read["project"], read["created_at"], strict=True)
        ]
        new["batch"] = [
            key((project, parent)) if parent and project is not None else at
            for project, parent, at in zip(
                read["project"], read["parent"], new["instant"], strict=True
            )
        ]
        self._types |= zip(new["type"], read["type"], strict=True)
        self.spaces |= {key(one) for one in {*read["visibility"]} if space_of(one)}
        before = self["exists"][places]
        self.count += len(places) - int(before.sum())
        self.chars += int(new["length"].sum()) - int(self["length"][places][before].sum())
        for name, column in new.items():
            self._columns[name][places] = column
        unknown = places[~before | np.isin(places, list(texts))]
        for name in LAZY:
            self._columns[name][unknown] = UNKNOWN
        self._columns["exists"][places] = True

    def remove(self, seqs: Numbers) -> None:
        """Remove rows that no longer exist."""
        seqs = seqs[seqs < self.size]
        seqs = seqs[self["exists"][seqs]]
        self.count -= len(seqs)
        self.chars -= int(self["length"][seqs].sum())
        for column in self._columns.values():
            column[seqs] = 0

    def _make_room(self, size: int) -> None:
        room = len(self._columns["exists"])
        if size > room:
            more = max(1_024, size - room, room // 4)
            for name, column in self._columns.items():
                grown = np.zeros(room + more, dtype=column.dtype)
                grown[:room] = column
                self._columns[name] = grown
        self.size = max(self.size, size)

    def allowed(self, seqs: Collection[int]) -> dict[int, Allowed]:
        """Return the values of some memories for later stages."""
        rows = np.fromiter(seqs, dtype=np.int64, count=len(seqs))
        of = self._columns
        made = zip(
            [self._types.get(one, "") for one in of["type"][rows].tolist()],
            [one.decode(errors="replace") for one in of["created_at"][rows].tolist()],
            [one or None for one in of["source"][rows].tolist()],
            [one or None for one in of["batch"][rows].tolist()],
            (of["length"][rows] / vectors.TARGET).tolist(),
            of["superseded"][rows].tolist(),
            of["asks"][rows].tolist(),
            strict=True,
        )
        return dict(zip(seqs, map(Allowed._make, made), strict=True))

    def beside(self, tx: ReadTx, seqs: Collection[int]) -> dict[int, list[int]]:
        """Return the previous and next memory of each within its source, and a fact's origin."""
        rows = np.fromiter(seqs, dtype=np.int64, count=len(seqs))
        before, after = self._columns["before"], self._columns["after"]
        new: list[int] = rows[before[rows] == UNKNOWN].tolist()
        if new:
            for seq, one, other in reading.beside(tx, new):
                before[seq], after[seq] = one or NONE, other or NONE
        near = zip(
            before[rows].tolist(), after[rows].tolist(), self["parent"][rows].tolist(), strict=True
        )
        return {
            seq: [one for one in ones if one > NONE] for seq, ones in zip(seqs, near, strict=True)
        }

    def placed(self, seqs: Numbers) -> Array:
        """Return the columns that determine the place of some memories, in rows."""
        return np.stack([self[name][seqs].astype(np.int64) for name in _PLACING])

    def forget_neighbours(self, places: Array, facts: Numbers) -> None:
        """Reset cached neighbours that may depend on these places (old or new) or these facts."""
        keys = np.unique(places[:2])
        keys = keys[keys != NONE]
        parent = self["parent"]
        stands = np.where(parent > NONE, parent, np.arange(self.size))
        moved = np.isin(self["own_source"][stands], keys) | np.isin(self["instant"][stands], keys)
        moved[facts] = True
        self["before"][moved] = UNKNOWN


class Columns:
    """One file's table; thread-safe."""

    def __init__(self) -> None:
        #: Held while whole columns are compared: the table may grow in between.
        self.lock = threading.RLock()
        self._table: Table | None = None
        self._at = (0, 0)
        self._read_at = 0

    def fresh(self, tx: ReadTx) -> tuple[Table, int | None]:
        """Return the table and the number of its newest change; None if the table is newer than the snapshot."""
        newest = reading.newest_change(tx)
        with self.lock:
            if self._table is None or newest != self._at:
                with barrier.lifted(tx.connection):
                    self._catch_up(tx, newest)
            assert self._table is not None
            return self._table, newest[0] if newest == self._at else None

    def _catch_up(self, tx: ReadTx, newest: tuple[int, int]) -> None:
        if self._table is None or self._was_put_back(newest[0]):
            self._read(tx, newest)
        elif newest[0] > self._at[0]:
            self._follow(tx, newest)
        elif newest[0] == self._at[0]:
            self._read(tx, newest)

    def _was_put_back(self, number: int) -> bool:
        is_late = clock.monotonic_ms() - self._read_at > OLDEST_SNAPSHOT_MS
        return number < self._at[0] and is_late

    def _read(self, tx: ReadTx, newest: tuple[int, int]) -> None:
        """Read every row, in batches."""
        table, last = Table(), 0
        while rows := reading.ranked_after(tx, last):
            table.put(rows)
            last = rows[-1][0]
        self._table, self._at, self._read_at = table, newest, clock.monotonic_ms()

    def _follow(self, tx: ReadTx, newest: tuple[int, int]) -> None:
        """Apply the changes since the last read; read every row if they are unknown or too many."""
        assert self._table is not None
        changes = reading.changes_from(tx, self._at[0], MOST_CHANGES + 1)
        begins = (changes[0][0], changes[0][3]) == self._at if self._at[0] else changes[0][0] == 1
        seqs = {change[1] for change in changes}
        if not begins or len(changes) > MOST_CHANGES or 0 in seqs:
            self._read(tx, newest)
            return
        new = changes[1 if self._at[0] else 0 :]
        texts = [(number, seq) for number, seq, is_text, _ in new if is_text]
        self._apply(tx, self._table, {change[1] for change in new}, {seq for _, seq in texts})
        self._table.postings.changed(texts)
        self._at, self._read_at = newest, clock.monotonic_ms()

    @staticmethod
    def _apply(tx: ReadTx, table: Table, seqs: set[int], texts: set[int]) -> None:
        every = np.array(list(seqs), dtype=np.int64)
        known = every[every < table.size]
        before = table.placed(known)
        rows = reading.ranked(tx, seqs)
        table.put(rows, texts)
        table.remove(np.array(list(seqs.difference(row[0] for row in rows)), dtype=np.int64))
        after = table.placed(every[every < table.size])
        if np.array_equal(before, after):
            return
        # The place of a fact is that of the memory it was extracted from.
        read_from = [key(f"pipeline-v2 {row[-1]}") for row in rows if row[0] in texts]
        facts = np.isin(table["parent"], every) | np.isin(table["own_source"], read_from)
        again = np.flatnonzero(facts & table["exists"])
        table.put(reading.ranked(tx, again.tolist()))
        table.forget_neighbours(np.concatenate([before, after], axis=1), again)
