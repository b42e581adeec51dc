"""Which sessions and commits a prompt is about, best first; none when nothing is near enough.

Chunks that share words with the prompt are ranked by bm25 and compared by meaning. The floor was set on the evaluation
data (loadtests, scenario `delivery`): reports about a decision are at a cosine of 0.40 to 0.81 to its talk, and 99 of
100 questions about other things below 0.22; short requests ("run the tests again") come up to 0.41 and share fewer
words.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from signet.db import ReadTx, Row, fts, vectors
from signet.domain.episodes import sql
from signet.domain.episodes.models import Match, Source, SourceType

#: Least cosine of the best chunk, for a prompt that shares many words with the source, and for one that shares few:
#: at least two of them, and half of what it says.
LEAST_SIMILARITY = 0.36
LEAST_SIMILARITY_OF_FEW = 0.41
LEAST_WORDS, MANY_WORDS = 2, 8
#: A further source is kept when it is nearly as near as the best one, or of the same matter: two talks about one rule
#: were at a cosine of 0.62 to 0.82 to each other, talks about other rules of the same code at most at 0.55.
NEARLY = 0.75
SAME_MATTER = 0.6
#: Of a prompt so much is read.
READ_CHARS = 4_000
#: Words of a stem that are compared: the index stems, this is an approximation of it.
_STEM = 5


def find(
    tx: ReadTx,
    prompt: str,
    *,
    vector: bytes | None,
    agent_id: str,
    project: str | None,
    but: str | None,
    commits: bool = True,
) -> list[Match]:
    """Return the sources that a prompt is about, best first; `but` is the session that asks.

    Without `project` those of every project count, without `commits` only sessions do.
    """
    asked = fts.content_words(prompt[:READ_CHARS])
    if not asked:
        return []
    words = fts.any_of(asked)
    rows = sql.search(tx, words, agent_id=agent_id, project=project, but=but, commits=commits)
    similar = _similarities(rows, vector)
    found: list[_Candidate] = []
    pairs = sorted(zip(rows, similar, strict=True), key=lambda pair: _name(pair[0]))
    for _, group in groupby(pairs, key=lambda pair: _name(pair[0])):
        found.append(_candidate(agent_id, asked, list(group), best=abs(rows[0]["rank"])))
    return _chosen(sorted(found, key=lambda one: one.match.score, reverse=True))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A source with the vectors of its chunks that were found, and whether the prompt is about it."""

    match: Match
    vectors: Sequence[bytes]
    is_near: bool
    similarity: float


def _candidate(
    agent_id: str,
    asked: Sequence[str],
    chunks: Sequence[tuple[Row, float | None]],
    *,
    best: float,
) -> _Candidate:
    row, near = max(chunks, key=lambda pair: (pair[1] or 0.0, abs(pair[0]["rank"])))
    words = max(abs(chunk["rank"]) for chunk, _ in chunks) / (best or 1.0)
    shared = shared_words(asked, "\n".join(chunk["content"] for chunk, _ in chunks))
    type_, id_, project = _name(row)
    return _Candidate(
        Match(
            source=Source(type=SourceType(type_), id=id_, agent_id=agent_id, project=project),
            position=row["position"],
            score=words / 2 + (near or 0.0),
            said_at=row["said_at"],
        ),
        [chunk["vector"] for chunk, _ in chunks if chunk["vector"]],
        _is_near(shared, len(asked), near),
        near or 0.0,
    )


def _is_near(shared: int, asked: int, similarity: float | None) -> bool:
    if similarity is None:
        return shared >= MANY_WORDS or shared == asked > LEAST_WORDS
    if shared >= MANY_WORDS:
        return similarity >= LEAST_SIMILARITY
    return shared >= max(LEAST_WORDS, asked / 2) and similarity >= LEAST_SIMILARITY_OF_FEW


def _chosen(found: Sequence[_Candidate]) -> list[Match]:
    """Return the best of those that the prompt is about, what is of its matter, and what is nearly as near."""
    best = next((one for one in found if one.is_near), None)
    if best is None:
        return []
    kept = [best.match]
    for one in found:
        if one is best or one.similarity < LEAST_SIMILARITY:
            continue
        if _nearness(best, one) >= SAME_MATTER:
            kept.append(replace(one.match, is_same_matter=True))
        elif one.is_near and one.match.score >= NEARLY * best.match.score:
            kept.append(one.match)
    return kept


def _nearness(one: _Candidate, other: _Candidate) -> float:
    """Return the cosine of the two chunks of these sources that are nearest to each other."""
    if not other.vectors:
        return 0.0
    return max((max(vectors.cosines(vector, other.vectors)) for vector in one.vectors), default=0.0)


def shared_words(asked: Sequence[str], text: str) -> int:
    """Return how many of the words stand in a text, compared by their beginnings."""
    low = fts.folded(text)
    return sum(fts.folded(word).removesuffix("*")[:_STEM] in low for word in asked)


def _similarities(rows: Sequence[Row], vector: bytes | None) -> list[float | None]:
    if vector is None:
        return [None] * len(rows)
    known = [row["vector"] for row in rows if len(row["vector"] or b"") == len(vector)]
    found = iter(vectors.cosines(vector, known) if known else [])
    return [next(found) if len(row["vector"] or b"") == len(vector) else None for row in rows]


def _name(row: Row) -> tuple[str, str, str]:
    return row["source_type"], row["source_id"], row["project"]
