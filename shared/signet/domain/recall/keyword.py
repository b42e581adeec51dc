"""The keyword channel: texts, and hints of texts, that hold words of the question."""

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate

from signet.db import ReadTx, fts
from signet.db.visibility import Where
from signet.domain.recall import frequencies, store
from signet.domain.recall.narrow import Narrow

#: Up to so many words, `strict` asks for all of them at first (recall.md §3 rule 5).
FEW_WORDS = 3

#: A word in more than this share of the rows has no weight in bm25 (its logarithm is not positive), so it
#: brings no candidates where the other words bring enough: to rank each row that holds it costs 1 µs.
#: Measured with pages of ten: at a half 1 answer of 4,862 differs, at a tenth 26.
COMMON_SHARE = 0.5

#: In a large store the rarest words bring the candidates: as many words as are held by so many rows together (a row
#: costs 1 to 2 µs). The others only score what these, meaning and graph have brought.
MOST_HELD = 4_096

#: Best matches that are looked at for each one wanted, before only those that pass are ranked.
LOOKED_AT = 4

#: A word of so many rows is scored only where the question has no other: it weighs little, and each row costs
#: 0.2 µs.
TOO_COMMON = 131_072


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
        passing = narrow.passing(tx, list(best)[:looked])
        if len(passing) >= limit or looked >= len(best):
            break
    found = [pair for pair in best.items() if pair[0] in passing][:limit]
    if len(found) >= limit or len(best) < LOOKED_AT * limit:
        return dict(found)
    rows = narrow.rows(tx)
    if rows is None:
        return store.keyword_passing(tx, match, narrow.where, limit)
    return store.keyword_among(tx, match, rows, limit)


def candidates(tx: ReadTx, words: Sequence[str], narrow: Narrow, limit: int) -> dict[int, float]:
    """Return the memories worth scoring, best first, at most `limit`, with the bm25 of the words that chose them."""
    held = frequencies.of(tx, words)
    common = COMMON_SHARE * store.highest(tx)
    rare = [word for word in words if held[word] <= common]
    if sum(held[word] for word in rare) > MOST_HELD:
        rare = _rarest(held)
    found: dict[int, float] = {}
    while len(rare) < len(words):
        found = find(tx, rare, narrow, limit)
        if len(found) >= limit:
            return found
        rare = sorted(words, key=held.__getitem__)[: len(rare) + 1]
        if held[rare[-1]] > TOO_COMMON and found:
            return found
    return find(tx, words, narrow, limit)


def _rarest(held: Mapping[str, int]) -> list[str]:
    """Return the rarest words that not too many rows hold together, one at least."""
    order = sorted(held, key=held.__getitem__)
    sums = accumulate(held[word] for word in order)
    return [
        word
        for place, (word, total) in enumerate(zip(order, sums, strict=True))
        if place == 0 or total <= MOST_HELD
    ]


def each(tx: ReadTx, words: Sequence[str], seqs: Collection[int]) -> list[dict[int, float]]:
    """Return for each word the bm25 (positive) of those of the given memories that hold it.

    bm25 is a sum over words, so these add up to the score of the whole question.
    """
    if not seqs:
        return []
    held = frequencies.of(tx, words)
    rarest = min(held.values(), default=0)
    return [
        store.keyword_of(tx, fts.any_of([word]), seqs)
        if held[word] <= max(rarest, TOO_COMMON)
        else {}
        for word in words
    ]


def hints(
    tx: ReadTx, words: Sequence[str], agent_id: str, where: Where, limit: int
) -> dict[int, float]:
    """Return 0..1 by memory for those that were marked as answers to such a question (REC-6)."""
    if not words:
        return {}
    return fts.scores(store.hints(tx, fts.any_of(words), agent_id, where, limit))
