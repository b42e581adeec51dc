"""The packed index of a process: the signs of every memory's vectors, kept equal to the rows.

Before each search it reads what has come since the last one: numbers of vectors are given in the order of commits
and never twice, so all that is new has a higher one, whoever wrote it. What was deleted is noticed when its row is
not found, and forgotten then. While much is missing (after a start, a change of the model, an import) a thread reads
it in parts, and searches do without this index.
"""

import threading
from typing import TYPE_CHECKING

from signet import clock
from signet.db import ReadTx, Row
from signet.domain.recall.sql import reading

if TYPE_CHECKING:
    from signet.db.binary_index import BinaryIndex

#: With fewer vectors the index in the file is as fast.
WORTH = 2_000

#: With so many, the first question would miss this index for a noticeable time.
LARGE = 20_000

#: Vectors that a search reads itself, and that the thread reads at once (each 2 µs): more at once take longer, and
#: memory that the process keeps (parts of 4,096 over 36,000 vectors 0.40 s and 27 MB, of 512 0.17 s and 8).
INLINE = 512
PART = 512

#: No snapshot is this old. So what was missed that long ago is gone for all, and a snapshot that has less than what
#: was read that long ago is of a file that was put back.
OLDEST_SNAPSHOT_MS = 30_000


class VectorCache:
    """One file's signs; for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._of: tuple[int, str | None] | None = None
        self._packed: BinaryIndex | None = None
        self._last = 0
        self._last_id: str | None = None
        self._read_at = 0
        self._missed: dict[int, int] = {}

    def fresh(self, tx: ReadTx, width: int, model: str | None) -> "BinaryIndex | None":
        """Return signs that hold every vector of this width and model that the snapshot has.

        None while they are not there, or not worth it. What else they hold is not found in the snapshot.
        """
        newest = reading.newest_vector(tx)
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
            tx.caches.later("signs", self._catch_up)
        return packed

    def read_ahead(self, tx: ReadTx, model: str | None) -> None:
        """Begin to read a large store, before anybody asks."""
        width = reading.newest_width(tx, model)
        if width and reading.newest_vector(tx) >= LARGE:
            self.fresh(tx, width, model)

    def missed(self, tx: ReadTx, numbers: list[int]) -> None:
        """Note vectors whose rows the snapshot does not have; those newer than it do not count.

        They are dropped when no snapshot that still has them can be in use.
        """
        newest, now = reading.newest_vector(tx), clock.monotonic_ms()
        with self._lock:
            for number in numbers:
                if number <= newest:
                    self._missed.setdefault(number, now)

    def _drop_missed(self) -> None:
        """Drop what was missed long enough ago."""
        import numpy as np

        before = clock.monotonic_ms() - OLDEST_SNAPSHOT_MS
        gone = sorted(number for number, since in self._missed.items() if since <= before)
        if gone and self._packed is not None:
            self._packed.forget(np.array(gone, dtype=np.int64))
            for number in gone:
                del self._missed[number]

    def _catch_up(self, tx: ReadTx) -> bool:
        """Read one part of what is missing; return whether there is more."""
        with self._lock:
            return self._read(tx, reading.newest_vector(tx))

    def _read(self, tx: ReadTx, newest: int) -> bool:
        """Read one part of what the snapshot has more; return whether there is still more."""
        if self._of is None or self._packed is None or newest <= self._last:
            return False
        if self._last and reading.vector_id(tx, self._last) not in (self._last_id, None):
            self._begin(*self._of)  # put back to an older state, and written to since
        rows = reading.vectors_after(tx, self._last, *self._of, PART)
        if rows:
            _add(self._packed, rows)
        is_all = len(rows) < PART
        self._last = newest if is_all else rows[-1][0]
        self._read_at = clock.monotonic_ms()
        self._last_id = reading.vector_id(tx, self._last)
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
