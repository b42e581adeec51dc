"""The keyword channel: texts, and hints of texts, that hold words of the question."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from signet.db import ReadTx, fts
from signet.db.visibility import Where
from signet.domain.recall import frequencies, store
from signet.domain.recall.narrow import Narrow

if TYPE_CHECKING:
    from signet.db.packed import Floats, Numbers

#: Up to so many words, `strict` asks for all of them at first (recall.md §3 rule 5).
FEW_WORDS = 3

#: A word in more than this share of the rows has no weight in bm25 (its logarithm is not positive), so it
#: brings no candidates where the other words bring enough.
COMMON_SHARE = 0.5
NO_WEIGHT = 1e-6

#: The rarest words bring the candidates: as many words as are held by so many rows together, and more when these
#: bring too few that pass. A row costs 0.06 µs. The others only score what these, meaning and graph have brought.
MOST_READ = 32_768

#: Rows with the weightiest words that are ranked for each one wanted: bm25 knows how often a word occurs and how long
#: a text is, and costs 1.4 µs for each and a walk of all that the words have. More words than these tell rows apart by
#: what they weigh (with bm25 for all questions recall@10 of turns is 83.2 and not 82.9, of facts 87.7 and not 87.5 %).
RANKED = 4
TOLD_APART = 3

#: Best matches that are looked at for each one wanted, before only those that pass are ranked.
LOOKED_AT = 4

#: A word of so many rows is scored only when it was asked for candidates, and counted without reading its rows: it
#: weighs little, and each row costs 0.05 µs.
TOO_COMMON = 131_072


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Memories with their bm25, best first, and the rows of each word that was read on the way."""

    ranks: Mapping[int, float]
    holding: Mapping[str, "Numbers"]


def find(
    tx: ReadTx, words: Sequence[str], narrow: Narrow, limit: int, *, strict: bool = False
) -> dict[int, float]:
    """Return bm25 by memory, best first, at most `limit`; one word is enough to match.

    `strict` puts memories with all words of a short question in front of the others.
    """
    if not words:
        return {}
    found: dict[int, float] = {}
    if strict and len(words) <= FEW_WORDS:
        found = matching(tx, fts.all_of(words), narrow, limit)
    if len(found) < limit:
        more = matching(tx, fts.any_of(words), narrow, limit)
        found = dict(list({**more, **found}.items())[:limit]) if found else more
    return found


def matching(tx: ReadTx, match: str, narrow: Narrow, limit: int) -> dict[int, float]:
    """Return the memories that match and pass with their bm25, best first, at most `limit`."""
    best = store.keyword(tx, match, LOOKED_AT * limit)
    for looked in (limit + limit // 4, len(best)):
        passing = narrow.allowed(tx, list(best)[:looked])
        if len(passing) >= limit or looked >= len(best):
            break
    found = [pair for pair in best.items() if pair[0] in passing][:limit]
    if len(found) >= limit or len(best) < LOOKED_AT * limit:
        return dict(found)
    rows = narrow.rows(tx)
    if rows is None:
        return store.keyword_passing(tx, match, narrow.where, limit)
    return store.keyword_among(tx, match, rows, limit)


def candidates(tx: ReadTx, words: Sequence[str], narrow: Narrow, limit: int) -> Chosen:
    """Return the memories worth scoring, at most `limit`; fewer only when no other one that passes holds a word."""
    import numpy as np

    highest = store.highest(tx)
    holding = _Holding(tx, highest)
    held = frequencies.of(tx, words, holding.count)
    weights = np.zeros(highest + 1, dtype=np.float32)
    asked: list[str] = []
    ranks: dict[int, float] = {}
    for group in _groups(held, COMMON_SHARE * highest):
        for word in group:
            rows = holding.rows(word)
            weights[rows[rows <= highest]] += _weight(held[word], highest)
        asked += group
        ranks = _best(tx, asked, weights, narrow, limit)
        if len(ranks) >= limit:
            break
    return Chosen(ranks=ranks, holding=holding.read)


class _Holding:
    """The rows that hold words: in all but a large store they are read to be counted, and then not again."""

    def __init__(self, tx: ReadTx, highest: int) -> None:
        self._tx, self._highest = tx, highest
        self.read: dict[str, Numbers] = {}

    def count(self, word: str) -> int:
        is_large = self._highest > TOO_COMMON
        return frequencies.counted(self._tx, word) if is_large else len(self.rows(word))

    def rows(self, word: str) -> "Numbers":
        if word not in self.read:
            self.read[word] = store.holding_rows(self._tx, fts.any_of([word]))
        return self.read[word]


def _groups(held: Mapping[str, int], common: float) -> Iterator[list[str]]:
    """Yield the words to ask for, rarest first: those that are cheap together, then one by one."""
    order = sorted(held, key=held.__getitem__)
    first, rows = order[:1], sum(held[word] for word in order[:1])
    for word in order[1:]:
        rows += held[word]
        if rows > MOST_READ or held[word] > common:
            break
        first.append(word)
    if first:
        yield first
    for word in order[len(first) :]:
        yield [word]


def _weight(held: int, rows: int) -> float:
    """Return what bm25 makes of how many rows hold a word."""
    return max(NO_WEIGHT, math.log(max(1.0, (rows - held + 0.5) / (held + 0.5))))


def _best(
    tx: ReadTx, words: Sequence[str], weights: "Floats", narrow: Narrow, limit: int
) -> dict[int, float]:
    """Return the rows that pass, best first, of those with the weightiest words; what ranks them is negative."""
    ranks = _ranked(tx, words, weights, _heaviest(weights, RANKED * limit))
    passing: Collection[int] = narrow.best(tx, list(ranks), limit)
    if len(passing) < limit:
        allowed = narrow.flags(tx)
        if allowed is None:
            heaviest = _heaviest_passing(tx, weights, narrow, RANKED * limit)
            ranks = _ranked(tx, words, weights, heaviest)
        else:
            weights = weights * allowed[: len(weights)]
            ranks = _ranked(tx, words, weights, _heaviest(weights, RANKED * limit))
        passing = ranks
    found = [(seq, -rank) for seq, rank in ranks.items() if seq in passing]
    return dict(found[:limit])


def _ranked(
    tx: ReadTx, words: Sequence[str], weights: "Floats", seqs: Sequence[int]
) -> dict[int, float]:
    """Return the rows best first: by bm25, or by what many words weigh."""
    if len(words) > TOLD_APART:
        ranks: dict[int, float] = dict(zip(seqs, weights[list(seqs)].tolist(), strict=True))
    else:
        ranks = store.keyword_of(tx, fts.any_of(words), seqs)
    return dict(sorted(ranks.items(), key=lambda pair: (-pair[1], -pair[0])))


def _heaviest_passing(tx: ReadTx, weights: "Floats", narrow: Narrow, wanted: int) -> list[int]:
    """Return the rows with the most weight that pass, where many do."""
    rough = narrow.roughly(tx)
    weights = weights if rough is None else weights * rough[: len(weights)]
    looked = wanted + wanted // 4
    while True:
        rows = _heaviest(weights, looked)
        passing = narrow.passing(tx, rows)
        if len(passing) >= wanted or len(rows) < looked:
            return list(passing)
        looked *= 4


def _heaviest(weights: "Floats", wanted: int) -> list[int]:
    """Return the `wanted` rows with the most weight above 0; of equals the newest."""
    import numpy as np

    rows: Numbers = np.flatnonzero(weights > 0)
    if len(rows) > wanted:
        # So little that it decides between equals only.
        order = weights[rows] + rows * (NO_WEIGHT / 100 / len(weights))
        rows = rows[np.argpartition(-order, wanted - 1)[:wanted]]
    found: list[int] = rows.tolist()
    return found


def each(
    tx: ReadTx,
    words: Sequence[str],
    seqs: Collection[int],
    holding: Mapping[str, "Numbers"] | None = None,
) -> list[dict[int, float]]:
    """Return for each word the bm25 (positive) of those of the given memories that hold it.

    bm25 is a sum over words, so these add up to the score of the whole question. `holding` gives the rows of words
    where they are known, ascending: the others need not be asked about.
    """
    if not seqs:
        return []
    import numpy as np

    every = np.fromiter(seqs, dtype=np.int64, count=len(seqs))
    known = holding or {}
    held = frequencies.of(tx, [word for word in words if word not in known])
    found: list[dict[int, float]] = []
    for word in words:
        some: Collection[int] = ()
        if word in known:
            some = _among(every, known[word])
        elif held[word] <= TOO_COMMON:
            some = seqs
        found.append(store.keyword_of(tx, fts.any_of([word]), some) if some else {})
    return found


def _among(seqs: "Numbers", rows: "Numbers") -> list[int]:
    """Return those of the memories that are among the rows, which ascend."""
    if not len(rows):
        return []
    found: list[int] = seqs[rows.take(rows.searchsorted(seqs), mode="clip") == seqs].tolist()
    return found


def hints(
    tx: ReadTx, words: Sequence[str], agent_id: str, where: Where, limit: int
) -> dict[int, float]:
    """Return 0..1 by memory for those that were marked as answers to such a question (REC-6)."""
    if not words:
        return {}
    return fts.scores(store.hints(tx, fts.any_of(words), agent_id, where, limit))
