"""Earlier sessions and commits as results: the passage that answers the question, word for word (REC-29).

What hooks deliver of a session is found by a question, too, whether or not anything was distilled from it. A passage is
as relevant as a memory would be (`cutoff.py`), by its chunk's vector and the words of two turns that follow each other:
in the whole of a chunk words meet by chance. It takes no place of a memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, islice
from typing import NamedTuple

from signet.db import ReadTx, fts, script
from signet.db.visibility import Reader
from signet.domain.episodes import brief, fence, search, sources, split
from signet.domain.episodes.models import FoundRow, Match, SourceType
from signet.domain.memory import filters as asked
from signet.domain.recall import cutoff, turns
from signet.domain.recall import models as recall
from signet.domain.recall.models import Filters, Hit, Nearest, Scores
from signet.domain.recall.run import Run
from signet.domain.recall.turns import Word

#: What a caller may ask for by type.
TYPES = (SourceType.SESSION, SourceType.COMMIT)
#: Sessions and commits beside the memories of one answer, and how relevant the second is, as share of the first.
BESIDE = 2
#: So many when single turns of each answer a question.
ANSWERING = 4
NEARLY = 0.8
#: How much a chunk is longer than a memory (`cutoff.held`).
PASSAGES = 4.0
#: To fill an empty page the nearest has this cosine, and is so much above the tenth nearest.
NEAR, STANDS_OUT = 0.3, 0.15
#: Chunks that are read for their words: so many of the nearest by words and by meaning.
READ = 16
#: Turns that follow each other in which words are looked for together.
TURNS = 2
#: Behind every time as it is stored.
LAST = "9999"
#: A prompt is about the passage that is so relevant, by its words too (to the model texts in other languages than
#: English are all near), and by so much more than any about another matter: short requests ("run the tests again") are
#: as relevant to several. Of 27 questions in the words of a talk 22 find it so, 11 by the
#: rules of `episodes/search.py` alone; of 322 about other things none, and of 50 ordinary requests one, beside 2, 7, 19
#: and 167 other talks.
ABOUT, TOLD, APART = 0.45, 0.5, 0.1


class Found(NamedTuple):
    """The passages of an answer, and where it is empty what came nearest."""

    hits: Sequence[Hit] = ()
    nearest: Nearest | None = None


class _Candidate(NamedTuple):
    """A session or commit by its best chunk: what its words tell, its cosine, and how relevant it is."""

    row: FoundRow
    told: float
    cosine: float | None
    relevance: float


def find(run: Run, hits: Sequence[Hit]) -> Found:
    """Return what sessions and commits say about the question, best first; `hits` are the memories of the answer."""
    if not (run.words and _may_answer(run) and search.has_any(run.tx)):
        return Found()
    found = _candidates(run, fts.any_of(run.words))
    least = max(run.settings.floor, run.query.min_score or 0.0)
    near = [one for one in found if one.relevance >= NEARLY * found[0].relevance]
    near = [one for one in near if one.relevance >= least]
    is_empty = not (near or hits)
    if is_empty and run.query.min_score is None:
        near = _by_meaning(run, found)
    wanted = run.query.size if run.query.filters.type else BESIDE
    said = (hit for one in near if (hit := _hit(run, one)))
    told = _answers(run) or [*islice(_new_of(said, run.words), wanted)]
    if is_empty and not told and found and found[0].told > 0:
        why = f"{found[0].relevance:.0%} relevant, {least:.0%} required"
        hit = _hit(run, found[0])
        return Found(nearest=Nearest(hit=hit, why=why) if hit else None)
    return Found(_new(run, told, hits))


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


def _may_answer(run: Run) -> bool:
    """Return whether the question is for more than memories: who names a floor asks how these rank."""
    query = run.query
    only = replace(query.filters, project=None, since=None, until=None)
    if only.type in TYPES:
        only = replace(only, type=None)
    return (
        only == Filters() and query.floor is None and query.as_of is None and not query.reader.scope
    )


def _candidates(run: Run, words: str | None) -> list[_Candidate]:
    """Return the sessions and commits that hold some of the words, without any the newest; the most relevant first."""
    query, wanted = run.query, run.query.filters
    since = asked.instant("since", wanted.since) or ""
    until = asked.instant("until", wanted.until, last=True) or LAST
    rows = search.said(
        run.tx,
        words,
        reader=query.reader,
        project=query.reader.project or wanted.project,
        commits=run.settings.commits,
    )
    kept = [
        row
        for row in rows
        if wanted.type in (None, row.source_type) and since <= row.said_at <= until
    ]
    told = turns.words_of(run.tx, run.words) if kept and words else []
    return _judged(kept, run.query_vector, told, least=run.settings.floor)


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


def _by_meaning(run: Run, found: Sequence[_Candidate]) -> list[_Candidate]:
    """Return what is near by its meaning alone, nearest first; in few sessions also what shares no word.

    To the model that is installed any two texts of Chinese, Japanese or Korean are near.
    """
    if run.query_vector is None or script.has_runs(run.query.text):
        return []
    known = {_source(one.row): one for one in (*_candidates(run, None), *found)}
    order = sorted(known.values(), key=lambda one: one.cosine or 0.0, reverse=True)
    cosines = [one.cosine or 0.0 for one in order]
    around = cutoff.background(dict(enumerate(cosines)))
    best = max(cosines, default=0.0)
    if best < NEAR or best - around < STANDS_OUT:
        return []
    return [one for one in order if (one.cosine or 0.0) >= NEARLY * best]


def _new_of(hits: Iterable[Hit], words: Sequence[str]) -> Iterator[Hit]:
    """Yield results that add something to earlier ones: forks of a session have the same beginning.

    Most lines of a result must be new, or a new line must contain a word of the question.
    """
    seen: set[str] = set()
    for hit in hits:
        lines = [line for line in hit.content.split("\n") if len(line) >= brief.REPEAT_CHARS]
        new = [line for line in lines if line not in seen]
        if not lines or 2 * len(new) >= len(lines) or search.shared_words(words, "\n".join(new)):
            yield hit
        seen.update(lines)


def _hit(run: Run, one: _Candidate) -> Hit | None:
    """Return a source as a result: the turns around the words of the question; None where nothing may be told."""
    row = one.row
    source = turns.source_of(row)
    words = run.words if one.told > 0 else ()
    chars = run.settings.truncate_chars
    text = brief.answering(row.content, words, chars=chars, type=source.type)
    if not text:
        return None
    return _hit_of(run, _match(one), text)


def _hit_of(run: Run, match: Match, text: str) -> Hit:
    source = match.source
    return Hit(
        id=source.name,
        content=fence.clean(text),
        score=min(1.0, match.score),
        source=recall.Source.EPISODE,
        type=source.type,
        project=source.project or None,
        created_at=match.said_at,
        source_type=source.type,
        source_id=source.id,
        supplementary=run.query.filters.type is None,
    )


def _answers(run: Run) -> list[Hit]:
    """Return the turns that answer a question, by source; empty for none, and where only some are wanted."""
    query, wanted = run.query, run.query.filters
    if query.min_score is not None or wanted.type or wanted.since or wanted.until:
        return []
    if not turns.asks(query.text):
        return []
    each = run.settings.truncate_chars
    found = turns.find(
        run.tx,
        query.text,
        vector=run.query_vector,
        reader=query.reader,
        project=query.reader.project or wanted.project,
        commits=run.settings.commits,
        chars=ANSWERING * (each + brief.ID_CHARS),
        each=each,
    )
    return [_hit_of(run, one.match, one.text) for one in found[:ANSWERING]]


def _new(run: Run, told: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """Return the passages without those of which a more relevant memory of the same session is a result."""
    roots = sources.roots(run.tx, [hit.id for hit in hits]) if told else {}
    best: dict[str | None, float] = {}
    for hit in hits:
        key = roots.get(hit.id)
        best[key] = max(hit.score, best.get(key, 0.0))
    return [one for one in told if one.score > best.get(one.source_id, 0.0)]
