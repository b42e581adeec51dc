"""Which sessions and commits a prompt is about, best first; none when nothing is near enough.

Chunks that share words with the prompt are ranked by bm25 and compared by meaning. The floor was set on the evaluation
data (loadtests, scenario `delivery`): reports about a decision are at a cosine of 0.40 to 0.81 to its talk, and 99 of
100 questions about other things below 0.22; short requests ("run the tests again") come up to 0.41 and share fewer
words.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from signet.db import ReadTx, Row, fts, vectors
from signet.domain.episodes import sql
from signet.domain.episodes.models import Match, Source, SourceType

#: Least cosine of the best chunk, and least number of the prompt's words in it.
LEAST_SIMILARITY = 0.36
LEAST_WORDS = 3
#: Words that are enough without vectors.
ENOUGH_WORDS = 8
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
) -> list[Match]:
    """Return the sources that a prompt is about, best first; `but` is the session that asks."""
    asked = fts.content_words(prompt[:READ_CHARS])
    if len(asked) < LEAST_WORDS:
        return []
    rows = sql.search(tx, fts.any_of(asked), agent_id=agent_id, project=project, but=but)
    similar = _similarities(rows, vector)
    if not rows:
        return []
    found = []
    pairs = sorted(zip(rows, similar, strict=True), key=lambda pair: _name(pair[0]))
    for name, group in groupby(pairs, key=lambda pair: _name(pair[0])):
        chunks = list(group)
        if _is_near(asked, chunks):
            found.append(_match(agent_id, name, chunks, best=abs(rows[0]["rank"])))
    found.sort(key=lambda match: match.score, reverse=True)
    return _with_related(found, rows)


def _match(
    agent_id: str,
    name: tuple[str, str, str],
    chunks: Sequence[tuple[Row, float | None]],
    *,
    best: float,
) -> Match:
    row, near = max(chunks, key=lambda pair: (pair[1] or 0.0, abs(pair[0]["rank"])))
    words = max(abs(chunk["rank"]) for chunk, _ in chunks) / (best or 1.0)
    return Match(
        source=Source(type=SourceType(name[0]), id=name[1], agent_id=agent_id, project=name[2]),
        position=row["position"],
        score=words / 2 + (near or 0.0),
        said_at=row["said_at"],
    )


def _with_related(found: Sequence[Match], rows: Sequence[Row]) -> list[Match]:
    """Return the best match, those of the same matter, and those that are nearly as near; in the order they came."""
    if not found:
        return []
    of_source: dict[tuple[str, str, str], list[bytes]] = {}
    for row in rows:
        if row["vector"]:
            of_source.setdefault(_name(row), []).append(row["vector"])
    matter = of_source.get(_key(found[0]), [])
    kept = [found[0]]
    for match in found[1:]:
        others = of_source.get(_key(match), [])
        near = max((max(vectors.cosines(one, others)) for one in matter if others), default=0.0)
        if near >= SAME_MATTER:
            kept.append(replace(match, is_same_matter=True))
        elif match.score >= NEARLY * found[0].score:
            kept.append(match)
    return kept


def _key(match: Match) -> tuple[str, str, str]:
    return match.source.type, match.source.id, match.source.project


def shared_words(asked: Sequence[str], text: str) -> int:
    """Return how many of the words stand in a text, compared by their beginnings."""
    low = text.lower()
    return sum(word[:_STEM] in low for word in asked)


def _is_near(asked: Sequence[str], chunks: Sequence[tuple[Row, float | None]]) -> bool:
    shared = shared_words(asked, "\n".join(chunk["content"] for chunk, _ in chunks))
    similar = [near for _, near in chunks if near is not None]
    if not similar:
        return shared >= ENOUGH_WORDS or shared == len(asked)
    return max(similar) >= LEAST_SIMILARITY and shared >= LEAST_WORDS


def _similarities(rows: Sequence[Row], vector: bytes | None) -> list[float | None]:
    if vector is None:
        return [None] * len(rows)
    known = [row["vector"] for row in rows if len(row["vector"] or b"") == len(vector)]
    found = iter(vectors.cosines(vector, known) if known else [])
    return [next(found) if len(row["vector"] or b"") == len(vector) else None for row in rows]


def _name(row: Row) -> tuple[str, str, str]:
    return row["source_type"], row["source_id"], row["project"]
