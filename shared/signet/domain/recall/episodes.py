"""What a prompt asks for of earlier sessions and commits: the passage that answers it, word for word.

A passage is judged by its chunk's vector and the words of two turns that follow each other: in the whole of a chunk
words meet by chance.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from signet.db import ReadTx, fts, script
from signet.db.visibility import Reader
from signet.domain.episodes import search, split
from signet.domain.episodes.models import FoundRow, Match, SourceType
from signet.domain.recall import cutoff, turns
from signet.domain.recall.models import Scores
from signet.domain.recall.turns import Word

#: How much a chunk is longer than a memory (`cutoff.held`).
PASSAGES = 4.0
#: Chunks that are read for their words: so many of the nearest by words and by meaning.
READ = 16
#: Turns that follow each other in which words are looked for together.
TURNS = 2
#: A prompt is about the passage that is so relevant, by its words too (to the model texts in other languages than
#: English are all near), and by so much more than any about another matter: short requests ("run the tests again") are
#: as relevant to several. Of 27 questions in the words of a talk 22 find it so, 11 by the
#: rules of `episodes/search.py` alone; of 322 about other things none, and of 50 ordinary requests one, beside 2, 7, 19
#: and 167 other talks.
ABOUT, TOLD, APART = 0.45, 0.5, 0.1


class _Candidate(NamedTuple):
    """A session or commit by its best chunk: what its words tell, its cosine, and how relevant it is."""

    row: FoundRow
    told: float
    cosine: float | None
    relevance: float


def about(
    tx: ReadTx,
    prompt: str,
    *,
    vector: bytes | None,
    reader: Reader,
    project: str | None,
    but: str | None,
    commits: bool,
) -> list[Match]:
    """Return the source that a prompt asks for something of, and what else is about that matter; empty for none.

    The arguments are those of `episodes.search.find`.
    """
    asked = fts.content_words(prompt[: search.READ_CHARS])
    # In Chinese, Japanese and Korean a word is made of pairs that others are made of, too.
    if vector is None or not asked or script.has_runs(prompt):
        return []
    rows = search.said(
        tx, fts.any_of(asked), reader=reader, project=project, but=but, commits=commits
    )
    found = _judged(rows, vector, turns.words_of(tx, asked), least=ABOUT)
    if not found or found[0].relevance < ABOUT or found[0].told < TOLD:
        return []
    best, *later = found
    matter = [one for one in later if search.is_same_matter(best.row.vector, one.row.vector)]
    others = (one.relevance for one in later if one not in matter)
    if best.relevance - max(others, default=0.0) < APART:
        return []
    return [_match(best), *(replace(_match(one), is_same_matter=True) for one in matter)]


def _match(one: _Candidate) -> Match:
    return Match(
        source=turns.source_of(one.row),
        position=one.row.position,
        score=one.relevance,
        said_at=one.row.said_at,
        is_asked=True,
    )


def _judged(
    rows: Sequence[FoundRow], vector: bytes | None, words: Sequence[Word], *, least: float
) -> list[_Candidate]:
    """Return the sources of chunks that come in the order of their words, the most relevant first."""
    cosines = search.similarities([row.vector for row in rows], vector)
    # What is far by words and meaning is not read.
    near = sorted(range(len(rows)), key=lambda at: cosines[at] or 0.0, reverse=True)
    places = {*range(min(READ, len(rows))), *near[:READ]} if words else set(near)
    pairs = sorted(((rows[at], cosines[at]) for at in places), key=lambda pair: _source(pair[0]))
    found = [
        _candidate(list(chunks), words, least)
        for _, chunks in groupby(pairs, key=lambda pair: _source(pair[0]))
    ]
    return sorted(found, key=lambda one: (one.relevance, one.row.said_at), reverse=True)


def _source(row: FoundRow) -> tuple[str, str]:
    return row.source_type, row.source_id


def _candidate(
    chunks: Sequence[tuple[FoundRow, float | None]], words: Sequence[Word], least: float
) -> _Candidate:
    """Return a source by the most relevant of its chunks."""
    every = [_chunk(row, cosine, words, least) for row, cosine in chunks]
    return max(every, key=lambda one: (one.relevance, one.cosine or 0.0))


def _chunk(row: FoundRow, cosine: float | None, words: Sequence[Word], least: float) -> _Candidate:
    """Return a chunk with its relevance; that of all its words together where even these are too few."""
    known: Scores = {} if cosine is None else {0: cosine}
    told = _told(words, [fts.folded(row.content)]) if words else 0.0
    if cutoff.relevance({0: told}, known, {})[0] >= least and row.source_type == SourceType.SESSION:
        told = _told(words, fts.folded("\0".join(split.turns(row.content))).split("\0"))
    return _Candidate(row, told, cosine, cutoff.relevance({0: told}, known, {})[0])


def _told(words: Sequence[Word], said: Sequence[str]) -> float:
    """Return what the words tell that stand in turns that follow each other, where they tell most."""
    held = [{at for at, turn in enumerate(said) if one.stem in turn} for one in words]
    near = [
        [{0: 1.0} if places.intersection(range(at, at + TURNS)) else {} for places in held]
        for at in sorted(set[int]().union(*held))
    ]
    weight = [one.tells for one in words]
    return max((cutoff.held(0, one, weight, {}, PASSAGES) for one in near), default=0.0)
