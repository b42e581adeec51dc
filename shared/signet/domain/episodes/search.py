"""Which sessions, commits, memories and documents a prompt is about, best first; none when nothing is near enough.

Chunks that share words with the prompt are ranked by bm25 and compared by meaning. The floor was set on the evaluation
data (loadtests, scenario `delivery`): reports about a decision are at a cosine of 0.40 to 0.81 to its talk, and 99 of
100 questions about other things below 0.31; short requests ("run the tests again") come up to 0.5, but so they are to
several talks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from signet.db import ReadTx, fts, script, vectors
from signet.db.visibility import Here, Reader
from signet.domain.episodes import fence, outcome, sql
from signet.domain.episodes.models import FoundRow, Match, Source, SourceType
from signet.domain.transcripts import withheld
from signet.wire.origin import STRANGERS, Origin, Review

#: Least cosine of the best chunk, for a prompt that shares many words with the source, and for one that shares few:
#: at least two of them, and half of what it says.
LEAST_SIMILARITY = 0.36
LEAST_SIMILARITY_OF_FEW = 0.41
LEAST_WORDS, MANY_WORDS = 2, 8
#: Of a long prompt so many words are many: its "tests", "failing" and "existing behaviour" are in every talk.
MANY_SHARE = 0.3
#: In other words than the talk itself few are shared; then a source is near that stands out: it is by so much nearer
#: than the one behind the first three (as many may be about one matter). Looked at on `own_tasks.json` and reports that
#: no talk of a store is about: the right talks are 0.15 to 0.54 nearer, others at most 0.14 from a cosine of 0.4 on.
LEAST_SIMILARITY_APART, APART, OTHERS = 0.39, 0.145, 3
#: A chunk of a document is longer than the model reads, so its vector says less; twice the words make up for it.
LEAST_SIMILARITY_DOCUMENT = 0.33
#: A further source is kept when it is nearly as near as the best one, or of the same matter: two talks about one rule
#: were at a cosine of 0.62 to 0.82 to each other, talks about other rules of the same code at most at 0.55.
NEARLY = 0.75
SAME_MATTER = 0.6
#: Sources that are named when nothing, or no more, was near enough.
MOST_FAR = 3
#: A talk of the same matter may be less near to the prompt: an amendment often says it in the prompt's words.
LEAST_SIMILARITY_LATER = 0.2
#: Characters from which on a saved memory is more than a sentence or two.
LONG_MEMORY = 300
#: Most of a document's title or address in its heading.
TITLE_CHARS = 80
#: Of a prompt so much is read.
READ_CHARS = 4_000
#: Words of a stem that are compared: the index stems, this is an approximation of it.
_STEM = 5


def find(
    tx: ReadTx,
    prompt: str,
    *,
    vector: bytes | None,
    reader: Reader,
    project: str | None,
    but: str | None,
    commits: bool = True,
    memories: Callable[[Sequence[str]], Mapping[int, float]],
    far: list[Match] | None = None,
) -> list[Match]:
    """Return the sources that a prompt is about, best first; `but` is the session that asks.

    Without `project` those of every project count, without `commits` none of these. `memories` gives the bm25 of those
    that hold some words, best first. The nearest of the sources that it is not about are added to `far`.
    """
    asked = fts.content_words(prompt[:READ_CHARS])
    if not asked:
        return []
    talk = said(tx, fts.any_of(asked), reader=reader, project=project, but=but, commits=commits)
    saved = sql.memories(tx, memories(asked), reader=reader, project=project)
    saved = _cleaned(tx, saved, reader)
    found: list[_Candidate] = []
    # Each index has its own scale, so its best is its unit.
    for rows in (talk, saved):
        near = similarities([row.vector for row in rows], vector)
        pairs = zip(rows, near, strict=True)
        for _, group in groupby(sorted(pairs, key=_place), key=lambda pair: _name(pair[0])):
            found.append(_candidate(asked, list(group), best=abs(rows[0].rank), here=reader.here))
    ordinary = _ordinary(prompt, found)
    found = [one.told_apart(ordinary) for one in found]
    found.sort(key=lambda one: one.match.score, reverse=True)
    kept = _chosen(found)
    if far is not None:
        names = {one.source for one in kept}
        far += [one.match for one in found if one.match.source not in names][:MOST_FAR]
    return kept


def said(
    tx: ReadTx,
    words: str | None,
    *,
    reader: Reader,
    project: str | None,
    but: str | None = None,
    commits: bool = True,
    spoken: bool = False,
) -> list[FoundRow]:
    """Return the chunks of sessions and commits that a full-text expression fits best, without what was forgotten.

    Without words the newest; each is one that a search compares by meaning. `spoken` leaves out those of sessions in
    which no person speaks.
    """
    asked = sql.Asked(
        agent_id=reader.agent_id, project=project, but=but, commits=commits, spoken=spoken
    )

    def read() -> list[FoundRow]:
        found = sql.newest(tx, asked) if words is None else sql.search(tx, words, asked)
        return _cleaned(tx, found, reader)

    return tx.once(("said", words, asked), read)


def within(
    tx: ReadTx, *, since: str, until: str, reader: Reader, project: str | None, commits: bool
) -> list[FoundRow]:
    """Return the newest chunks of sessions and commits in an interval, without forgotten statements."""
    asked = sql.Asked(agent_id=reader.agent_id, project=project, but=None, commits=commits)
    return _cleaned(tx, sql.within(tx, asked, since, until), reader)


def _cleaned(tx: ReadTx, found: Sequence[FoundRow], reader: Reader) -> list[FoundRow]:
    """Return rows without what is withheld from a reader; memories stand for themselves."""
    is_cleaned = any(row.source_type != SourceType.MEMORY for row in found)
    known = withheld.of(tx, reader.agent_id) if is_cleaned else []
    return [
        row
        if row.source_type == SourceType.MEMORY
        else row._replace(content=withheld.without(row.content, known))
        for row in found
    ]


def has_any(tx: ReadTx) -> bool:
    """Return whether any session or commit is indexed, whoever they belong to."""
    return sql.count(tx) > 0


def holders(tx: ReadTx, words: Sequence[str]) -> tuple[list[int], int]:
    """Return how many chunks hold each word (at most 1,000), and about how many there are, whoever they belong to."""
    return [sql.holders(tx, fts.any_of([word])) for word in words], sql.count(tx)


def _ordinary(prompt: str, found: Sequence["_Candidate"]) -> float:
    """Return the similarity that sources have which a prompt is not about.

    To the model that is installed any two texts of Chinese, Japanese or Korean are near: there nothing stands out.
    """
    if script.has_runs(prompt):
        return 1.0
    others = sorted((one.similarity for one in found), reverse=True)[OTHERS:]
    return others[0] if others else 0.0


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A source with its chunks that were found, and whether the prompt is about it."""

    match: Match
    row: FoundRow
    text: str
    vectors: Sequence[bytes]
    is_near: bool
    similarity: float
    #: Words of the prompt that stand in it.
    shared: int

    def told_apart(self, ordinary: float) -> "_Candidate":
        """Return it as near, too, when it is much nearer than what any prompt like this is at a similarity of."""
        is_document = self.match.source.type is SourceType.DOCUMENT
        least = LEAST_SIMILARITY_DOCUMENT if is_document else LEAST_SIMILARITY_APART
        is_apart = self.similarity >= max(
            least, ordinary + APART
        ) and self.shared >= LEAST_WORDS * (1 + is_document)
        return replace(self, is_near=(self.is_near or is_apart) and self._is_worthy())

    def _is_worthy(self) -> bool:
        """Return whether it may be told as an episode at all."""
        if self.match.source.type is not SourceType.MEMORY:
            return True
        origin = Origin(self.row.origin)
        return is_worth_a_place(self.text) and not fence.is_held(
            origin, _review(self.row), self.text
        )


def _candidate(
    asked: Sequence[str],
    chunks: Sequence[tuple[FoundRow, float | None]],
    *,
    best: float,
    here: Here | None,
) -> _Candidate:
    row, near = max(chunks, key=lambda pair: (pair[1] or 0.0, abs(pair[0].rank)))
    words = max(abs(chunk.rank) for chunk, _ in chunks) / (best or 1.0)
    text = "\n".join(dict.fromkeys(chunk.content for chunk, _ in chunks))
    shared = shared_words(asked, text)
    type_, id_, project = _name(row)
    source = Source(type=SourceType(type_), id=id_, agent_id=row.agent_id, project=project)
    is_near = shared >= LEAST_WORDS and (near is None or near >= LEAST_SIMILARITY)
    if is_near:  # most are not, and the words of a text are not counted for nothing
        # A short memory cannot share more than it says.
        says = len(fts.content_words(text)) if source.type is SourceType.MEMORY else len(asked)
        is_near = _is_near(shared, min(says, len(asked)), near)
    return _Candidate(
        Match(
            source=source,
            position=row.position,
            score=words / 2 + (near or 0.0),
            said_at=row.said_at,
            is_asked=len(asked) < MANY_WORDS,
            origin=_origin(source.type, row, here),
            is_strangers=row.origin in STRANGERS,
        ),
        row,
        text,
        [chunk.vector for chunk, _ in chunks if chunk.vector],
        is_near,
        near or 0.0,
        shared,
    )


def is_worth_a_place(memory: str) -> bool:
    """Return whether a saved memory is told as an episode: it is long, or it decides. Others are told in a line."""
    return len(memory) >= LONG_MEMORY or outcome.decides(memory)


def _origin(type: SourceType, row: FoundRow, here: Here | None) -> str:
    """Return who says what a row holds, as far as that is known."""
    words, title = Origin(row.origin), fence.named(row.title, TITLE_CHARS)
    if type is SourceType.DOCUMENT:
        return f"{'from the web' if words is Origin.WEB else 'document'}{title and f': {title}'}"
    labels = here.labels(row.project) if here else ()
    return ", ".join((fence.origin(words, row.who), *labels)) if type is SourceType.MEMORY else ""


def _review(row: FoundRow) -> Review | None:
    return Review(row.review) if row.review else None


def _is_near(shared: int, asked: int, similarity: float | None) -> bool:
    if similarity is None:
        return shared >= MANY_WORDS or shared == asked > LEAST_WORDS
    if shared >= max(MANY_WORDS, MANY_SHARE * asked):
        return similarity >= LEAST_SIMILARITY
    return shared >= max(LEAST_WORDS, asked / 2) and similarity >= LEAST_SIMILARITY_OF_FEW


def _chosen(found: Sequence[_Candidate]) -> list[Match]:
    """Return the best of those that the prompt is about, what is of its matter, and what is nearly as near."""
    best = next((one for one in found if one.is_near), None)
    if best is None:
        return []
    kept = [best.match]
    for one in found:
        if one is best or one.similarity < LEAST_SIMILARITY_LATER:
            continue
        if not one.is_near and one.match.source.type in (SourceType.MEMORY, SourceType.DOCUMENT):
            continue
        if _nearness(best, one) >= SAME_MATTER:
            kept.append(replace(one.match, is_same_matter=True))
        elif (
            one.is_near
            and one.similarity >= LEAST_SIMILARITY
            and one.match.score >= NEARLY * best.match.score
        ):
            kept.append(one.match)
    return kept


def _nearness(one: _Candidate, other: _Candidate) -> float:
    """Return the cosine of the two chunks of these sources that are nearest to each other."""
    if not other.vectors:
        return 0.0
    return max((max(vectors.cosines(vector, other.vectors)) for vector in one.vectors), default=0.0)


def is_same_matter(vector: bytes | None, other: bytes | None) -> bool:
    """Return whether two chunks with these vectors are about one matter."""
    near = similarities([other], vector)[0]
    return near is not None and near >= SAME_MATTER


def shared_words(asked: Sequence[str], text: str) -> int:
    """Return how many of the words stand in a text, compared by their beginnings, which may be inside a word.

    Names of code are put together. With short words at the beginning of others alone the passages of one of 20 own
    tasks (loadtests, scenario `delivery`) did not reach their prompt, and nothing else changed.
    """
    low = fts.folded(text)
    return sum(stem(word) in low for word in asked)


@lru_cache(4_096)
def stem(word: str) -> str:
    """Return about the stem of a word: its beginning."""
    return fts.folded(word).partition("*")[0][:_STEM]


def similarities(found: Sequence[bytes | None], vector: bytes | None) -> list[float | None]:
    """Return the cosine of each of these vectors to this one, None where either is missing or of another model."""
    if vector is None:
        return [None] * len(found)
    known = [one for one in found if one is not None and len(one) == len(vector)]
    cosines = iter(vectors.cosines(vector, known) if known else [])
    return [next(cosines) if len(one or b"") == len(vector) else None for one in found]


def _place(pair: tuple[FoundRow, float | None]) -> tuple[str, str, str, int]:
    return *_name(pair[0]), pair[0].position


def _name(row: FoundRow) -> tuple[str, str, str]:
    return row.source_type, row.source_id, row.project
