"""The keyword channel: texts, and hints of texts, that hold words of the question."""

from collections.abc import Collection, Sequence

from signet.db import ReadTx, fts
from signet.db.visibility import Where
from signet.domain.recall import store

#: Up to so many words, `strict` asks for all of them at first (recall.md §3 rule 5).
FEW_WORDS = 3

#: A word in more than this share of the rows has no weight in bm25 (its logarithm is not positive), so it
#: brings no candidates where the other words bring enough: to rank each row that holds it costs 1 µs.
#: Measured with pages of ten: at a half 1 answer of 4,862 differs, at a tenth 26.
COMMON_SHARE = 0.5


def find(
    tx: ReadTx, words: Sequence[str], where: Where, limit: int, *, strict: bool = False
) -> dict[int, float]:
    """Return bm25 by memory, best first, at most `limit`; one word is enough to match.

    `strict` puts memories with all words of a short question in front of the others.
    """
    if not words:
        return {}
    found: dict[int, float] = {}
    if strict and len(words) <= FEW_WORDS:
        found = store.keyword(tx, fts.all_of(words), where, limit)
    if len(found) < limit:
        more = store.keyword(tx, fts.any_of(words), where, limit)
        found = dict(list({**more, **found}.items())[:limit]) if found else more
    return found


def candidates(tx: ReadTx, words: Sequence[str], where: Where, limit: int) -> dict[int, float]:
    """Return the memories worth scoring, best first, at most `limit`, with the bm25 of the words that chose them."""
    most = int(COMMON_SHARE * store.highest(tx))
    rare = [word for word in words if not store.more_than(tx, fts.any_of([word]), most)]
    found = find(tx, rare, where, limit) if len(rare) < len(words) else {}
    return found if len(found) >= limit else find(tx, words, where, limit)


def each(tx: ReadTx, words: Sequence[str], seqs: Collection[int]) -> list[dict[int, float]]:
    """Return for each word the bm25 (positive) of those of the given memories that hold it.

    bm25 is a sum over words, so these add up to the score of the whole question.
    """
    return [store.keyword_of(tx, fts.any_of([word]), seqs) for word in words] if seqs else []


def hints(
    tx: ReadTx, words: Sequence[str], agent_id: str, where: Where, limit: int
) -> dict[int, float]:
    """Return 0..1 by memory for those that were marked as answers to such a question (REC-6)."""
    if not words:
        return {}
    return fts.scores(store.hints(tx, fts.any_of(words), agent_id, where, limit))
