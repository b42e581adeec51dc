"""In how many rows a word or entity occurs, and how many an agent has; in a large store the process remembers it.

Counting costs 0.1 µs for each row. What is remembered holds until the store has grown by a tenth: it only decides
which words of a question are looked for first, and what is a hub.
"""

from collections.abc import Callable, Sequence

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
        self._counts: dict[tuple[str, str], int] = {}

    def counts(self, highest: int) -> dict[tuple[str, str], int]:
        """Return what is remembered of a store whose highest row number is this; new counts may be put in."""
        is_old = not self._highest <= highest <= (1 + GROWTH) * self._highest
        if is_old or len(self._counts) > REMEMBERED:
            self._highest, self._counts = highest, {}
        return self._counts


def of(
    tx: ReadTx, words: Sequence[str], count: Callable[[str], int] | None = None
) -> dict[str, int]:
    """Return for each word how many rows hold it, whoever may read them; `count` counts where that is not known."""
    return _counted(tx, "word", words, count or (lambda word: counted(tx, word)))


def counted(tx: ReadTx, word: str) -> int:
    """Count the rows that hold a word."""
    return store.holding(tx, fts.any_of([word]), most=MOST)


def of_agent(tx: ReadTx, agent_id: str) -> int:
    """Return how many memories an agent has."""
    return _counted(tx, "agent", [agent_id], lambda agent: store.count(tx, agent))[agent_id]


def of_largest_entity(tx: ReadTx) -> int:
    """Return how many memories mention the entity that most mention."""
    return _counted(tx, "mentions", [""], lambda _: store.most_mentions(tx))[""]


def _counted(
    tx: ReadTx, kind: str, names: Sequence[str], count: Callable[[str], int]
) -> dict[str, int]:
    highest = store.highest(tx)
    remembers = tx.derived is not None and highest >= LARGE
    counts = tx.derived.of(Frequencies).counts(highest) if tx.derived and remembers else {}
    for name in names:
        if (kind, name) not in counts:
            counts[kind, name] = count(name)
    return {name: counts[kind, name] for name in names}
