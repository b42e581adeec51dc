"""In how many rows a word occurs; in a large store the process remembers it.

Counting costs 0.1 µs for each row. What is remembered holds until the store has grown by a tenth: it only decides
which words of a question are looked for first.
"""

from collections.abc import Sequence

from signet.db import ReadTx, fts
from signet.domain.recall import store

#: A store of fewer rows is counted each time.
LARGE = 10_000

#: Counting ends here: so many rows are too many in any store.
MOST = 262_144

#: Words remembered, and the share by which the store may grow meanwhile.
REMEMBERED = 16_384
GROWTH = 0.1


class Frequencies:
    """The counts that one process remembers of a file; for any thread."""

    def __init__(self) -> None:
        self._highest = 0
        self._counts: dict[str, int] = {}

    def counts(self, highest: int) -> dict[str, int]:
        """Return what is remembered of a store whose highest row number is this; new counts may be put in."""
        is_old = not self._highest <= highest <= (1 + GROWTH) * self._highest
        if is_old or len(self._counts) > REMEMBERED:
            self._highest, self._counts = highest, {}
        return self._counts


def of(tx: ReadTx, words: Sequence[str]) -> dict[str, int]:
    """Return for each word how many rows hold it, whoever may read them."""
    highest = store.highest(tx)
    remembers = tx.derived is not None and highest >= LARGE
    counts = tx.derived.of(Frequencies).counts(highest) if tx.derived and remembers else {}
    for word in words:
        if word not in counts:
            counts[word] = store.holding(tx, fts.any_of([word]), most=MOST)
    return {word: counts[word] for word in words}
