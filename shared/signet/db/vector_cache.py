"""A process's packed index: the sign bits of every vector of one table, kept in sync with the rows.

Before each search it reads the new vectors: their numbers follow the order of commits and are never reused, so every
new one, of any process, has a higher number. Deleted ones are dropped when their rows are not found. If much is missing
(after a start, a change of the model, an import) a thread reads it in parts, and searches do without this index.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from signet import clock
from signet.db import barrier, vectors
from signet.db.driver import Row
from signet.db.transaction import ReadTx

if TYPE_CHECKING:
    from signet.db.binary_index import BinaryIndex, Flags, Numbers

Scores = dict[int, float]

#: Stored vectors compared at first per requested owner, and at least.
COMPARED = 3
LEAST_COMPARED = 120

#: In larger stores signs select the nearest less well, so this many times as many are compared: of the true 10 nearest
#: of a million this finds 98.7 %, otherwise 96.9 %.
MANY, MORE = 300_000, 3

#: Signs select poorly if many vectors are nearly as near. It is a sign of that if this share of the best comes from the
#: last third of the compared vectors; then twice as many are compared, up to this many times. Of the true 10 nearest,
#: the 24 found for a page contain 99.95 % among 3,700 dialogue turns and 99.6 to 99.9 % in the stores of `loadtests`,
#: whose vectors lie closer together (125 are compared on average).
UNSURE = 0.05
TIMES = (1, 2, 4)
#: Number selected each time; every selection reads all signs.
CHOSEN = (2, 2, 8)

#: With fewer vectors the index in the file is as fast.
WORTH = 2_000

#: With this many vectors, the first query would miss this index noticeably.
LARGE = 20_000

#: Vectors that a search reads itself, and batch size of the thread (2 µs each). Larger batches take longer, and memory
#: that the process keeps (batches of 4,096 over 36,000 vectors 0.40 s and 27 MB, of 512 0.17 s and 8).
INLINE = 512
PART = 512

#: No snapshot is older. So a vector missed that long ago is deleted for all snapshots, and a snapshot with fewer
#: vectors than were read that long ago belongs to a restored file.
OLDEST_SNAPSHOT_MS = 30_000


class VectorStatements(NamedTuple):
    """Statements for a table of vectors; `number` follows the order of commits and is never reused."""

    #: The highest number ever given.
    newest: str
    #: The width of the newest vector (of a model, twice).
    newest_width: str
    #: Distinguishes the vector with this number from others with the same number in another copy of the file.
    mark: str
    #: Number, owner and vector, in order; parameters: previous number, width, model, model, limit.
    after: str
    #: One row for a list of numbers: those that exist, separated by commas, and their vectors, concatenated.
    stored: str


class VectorCache:
    """The sign bits of one table's vectors in one file; thread-safe."""

    #: The statements of the table, set by a subclass.
    statements: ClassVar[VectorStatements]
    #: The name of the thread that reads missing vectors.
    name: ClassVar[str]

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: tuple[int, str | None] | None = None
        self._packed: BinaryIndex | None = None
        self._last = 0
        self._last_id: str | None = None
        self._read_at = 0
        self._missed: dict[int, int] = {}

    def newest(self, tx: ReadTx) -> int:
        """Return the highest number ever given to a vector, 0 for none."""
        return int(tx.value(self.statements.newest) or 0)

    def stored(self, tx: ReadTx, numbers: Collection[int]) -> tuple["Numbers", bytes]:
        """Return the numbers of the existing vectors among these, and the vectors, concatenated."""
        import numpy as np

        # A list of numbers reads the same in Python and in JSON.
        found = tx.one(self.statements.stored, (str(list(numbers)),))
        assert found is not None  # the concatenation is always one row, even of nothing
        return np.fromstring(found[0] or "", dtype=np.int64, sep=","), found[1] or b""

    def nearest(
        self,
        tx: ReadTx,
        vector: bytes,
        allowed: Callable[[], "Flags"],
        limit: int,
        *,
        model: str | None,
    ) -> Scores | None:
        """Return the cosines of the owners that the signs select; None without signs.

        Only owners for which `allowed` has True; an owner's best vector counts. More are compared while it is doubtful
        that the best `limit` are the best of all.
        """
        import numpy as np

        packed = self.fresh(tx, vectors.dimensions(vector), model)
        if packed is None:
            return None
        wanted = max(LEAST_COMPARED, COMPARED * limit) * (MORE if packed.count > MANY else 1)
        one, may = np.frombuffer(vector, dtype="<f4"), allowed()
        scores: Scores = {}
        whose: list[int] = []
        asked = 0
        for times, chosen in zip(TIMES, CHOSEN, strict=True):
            if asked < chosen * wanted:
                asked = chosen * wanted
                numbers, owners = packed.nearest(one, asked, may)
            part: list[int] = numbers[: times * wanted].tolist()
            new = [number for number in part if number not in scores]
            found, many = self.stored(tx, new)
            scores |= zip(found.tolist(), vectors.cosines(vector, [many]), strict=True)
            whose += _owners(numbers, owners, found)
            if len(found) < len(new):
                self.missed(tx, list(set(new) - scores.keys()))
            is_all = len(numbers) <= len(part) and len(numbers) < asked
            is_half = 2 * len(scores) > len(part)
            if is_all or (is_half and not _is_unsure(part, scores, limit)):
                break
        if not (is_half or is_all):
            return None  # too many of the selected ones are deleted
        return best_of(whose, list(scores.values()))

    def fresh(self, tx: ReadTx, width: int, model: str | None) -> "BinaryIndex | None":
        """Return signs that include every vector of this width and model in the snapshot.

        Returns None if they are not loaded, or not worthwhile. They may include vectors that the snapshot lacks.
        """
        newest = self.newest(tx)
        if newest < WORTH or tx.caches is None:
            return None
        with self._lock:
            if self._missed:
                self._drop_missed()
            if self._of != (width, model) or self._is_worn() or self._was_put_back(newest):
                self._begin(width, model)
            behind = newest - self._last
            if 0 < behind <= INLINE:
                self._read(tx, newest)
            packed = self._packed if newest <= self._last else None
        if packed is None:
            tx.caches.later(self.name, self._catch_up)
        return packed

    def read_ahead(self, tx: ReadTx, model: str | None) -> None:
        """Begin to read a large store before the first query."""
        width = tx.value(self.statements.newest_width, (model, model))
        if width and self.newest(tx) >= LARGE:
            self.fresh(tx, width, model)

    def missed(self, tx: ReadTx, numbers: list[int]) -> None:
        """Record vectors whose rows the snapshot lacks, except newer ones.

        They are dropped once no snapshot in use can still have them.
        """
        newest, now = self.newest(tx), clock.monotonic_ms()
        with self._lock:
            for number in numbers:
                if number <= newest:
                    self._missed.setdefault(number, now)

    def _drop_missed(self) -> None:
        """Drop vectors that were missed long enough ago."""
        import numpy as np

        before = clock.monotonic_ms() - OLDEST_SNAPSHOT_MS
        gone = sorted(number for number, since in self._missed.items() if since <= before)
        if gone and self._packed is not None:
            self._packed.forget(np.array(gone, dtype=np.int64))
            for number in gone:
                del self._missed[number]

    def _catch_up(self, tx: ReadTx) -> bool:
        """Read one batch of the missing vectors; return whether there are more."""
        with self._lock:
            return self._read(tx, self.newest(tx))

    def _read(self, tx: ReadTx, newest: int) -> bool:
        """Read one batch of the snapshot's newer vectors; return whether there are more."""
        if self._of is None or self._packed is None or newest <= self._last:
            return False
        if self._last and tx.value(self.statements.mark, (self._last,)) not in (
            self._last_id,
            None,
        ):
            self._begin(*self._of)  # restored to an older state, and written to since
        width, model = self._of
        with barrier.lifted(tx.connection):
            rows = tx.all(self.statements.after, (self._last, width, model, model, PART))
        if rows:
            _add(self._packed, rows)
        is_all = len(rows) < PART
        self._last = newest if is_all else rows[-1][0]
        self._read_at = clock.monotonic_ms()
        self._last_id = tx.value(self.statements.mark, (self._last,))
        return not is_all

    def _begin(self, width: int, model: str | None) -> None:
        from signet.db.binary_index import BinaryIndex

        self._of, self._packed = (width, model), BinaryIndex(width)
        self._last, self._last_id, self._missed = 0, None, {}

    def _was_put_back(self, newest: int) -> bool:
        return newest < self._last and clock.monotonic_ms() - self._read_at > OLDEST_SNAPSHOT_MS

    def _is_worn(self) -> bool:
        return self._packed is not None and self._packed.gone > self._packed.count // 2


def _add(packed: "BinaryIndex", rows: list[Row]) -> None:
    import numpy as np

    numbers = np.array([row[0] for row in rows], dtype=np.int64)
    owners = np.array([row[1] for row in rows], dtype=np.int64)
    flat = np.frombuffer(b"".join([row[2] for row in rows]), dtype="<f4")
    packed.add(numbers, owners, flat.reshape(len(rows), packed.width))


def _is_unsure(chosen: Sequence[int], scores: Scores, limit: int) -> bool:
    """Return whether the last vectors by sign are among the best: then better ones probably follow."""
    last = set(chosen[2 * len(chosen) // 3 :])
    best = sorted(scores, key=scores.__getitem__, reverse=True)[:limit]
    return sum(number in last for number in best) > UNSURE * limit


def _owners(numbers: "Numbers", owners: "Numbers", wanted: "Numbers") -> list[int]:
    """Return the owners of the requested vectors."""
    order = numbers.argsort()
    found: list[int] = owners[order[numbers.searchsorted(wanted, sorter=order)]].tolist()
    return found


def best_of(owners: Sequence[int], scores: Sequence[float]) -> Scores:
    """Return the highest score of each owner, given ascending: in a dictionary the last one of a key stays."""
    order = sorted(range(len(scores)), key=scores.__getitem__)
    return {owners[place]: scores[place] for place in order}


def first(scores: Scores, limit: int) -> Scores:
    """Return the best scores; of equals the newest."""
    order = sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)[:limit]
    return {owner: scores[owner] for owner in order}
