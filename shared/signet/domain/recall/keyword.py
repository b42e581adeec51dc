"""The keyword channel: texts, and hints of texts, that hold words of the question."""

from collections.abc import Collection, Sequence

import numpy as np

from signet.db import ReadTx, fts
from signet.domain.recall.columns import Array
from signet.domain.recall.models import Scores
from signet.domain.recall.sql import reading
from signet.domain.recall.view import View


def find(tx: ReadTx, words: Sequence[str], view: View, limit: int) -> Scores:
    """Return bm25 (negative) of the `limit` best memories that pass and hold a word, of equals the newest."""
    totals, held = _totals(tx, words, view)
    return _best(totals, held > 0, limit)


def holding_all(tx: ReadTx, words: Sequence[str], view: View, limit: int) -> Scores:
    """Return bm25 (negative) of the `limit` best memories that pass and hold all words, best first."""
    totals, held = _totals(tx, words, view)
    return _best(totals, held == len(words), limit)


def ranked(tx: ReadTx, match: str, limit: int) -> Scores:
    """Return the rows that a full-text expression matches with their bm25, best first, whoever may read them."""
    return dict(tx.tuples(reading.KEYWORD_BEST, (match, limit)))


def _totals(tx: ReadTx, words: Sequence[str], view: View) -> tuple[Array, Array]:
    """Return bm25 (positive) of each row, and how many of the words it holds; 0 where it does not pass."""
    size = len(view.flags)
    totals, held = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.uint8)
    for posting in view.postings(tx, words).values():
        rows = posting.rows[: posting.rows.searchsorted(size)]
        totals[rows] += view.weight(posting) * posting.parts[: len(rows)]
        held[rows] += 1
    held *= view.flags
    return totals, held


def _best(totals: Array, which: Array, limit: int) -> Scores:
    rows = np.flatnonzero(which)
    if len(rows) > limit:
        least = np.partition(totals[rows], len(rows) - limit)[len(rows) - limit]
        rows = rows[totals[rows] >= least]
    rows = rows[np.lexsort((-rows, -totals[rows]))][:limit]
    return dict(zip(rows.tolist(), (-totals[rows]).tolist(), strict=True))


def each(tx: ReadTx, words: Sequence[str], seqs: Collection[int], view: View) -> Array:
    """Return the bm25 (positive) of each word (row) in each of the given memories (column), 0 where it is missing.

    bm25 is a sum over words, so a column adds up to the score of the whole question.
    """
    wanted = np.fromiter(seqs, dtype=np.int32, count=len(seqs))
    found = np.zeros((len(words), len(wanted)))
    for row, posting in zip(found, view.postings(tx, words).values(), strict=True):
        if len(posting.rows):
            places = np.minimum(posting.rows.searchsorted(wanted), len(posting.rows) - 1)
            holds = posting.rows[places] == wanted
            row[holds] = view.weight(posting) * posting.parts[places[holds]]
    return found


def hints(tx: ReadTx, words: Sequence[str], agent_id: str, view: View, limit: int) -> Scores:
    """Return 0..1 by memory for those that were marked as answers to such a question (REC-6)."""
    if not words:
        return {}
    return fts.scores(reading.hints(tx, fts.any_of(words), agent_id, view.where, limit))
