"""Which sessions and commits a prompt is about, best first; none when nothing is near enough.

Chunks that share words with the prompt are ranked by bm25 and compared by meaning. The floor was set on the evaluation
data (loadtests, scenario `delivery`): reports about a decision are at a cosine of 0.40 to 0.81 to its talk, and 99 of
100 questions about other things below 0.22; short requests ("run the tests again") come up to 0.41 and share fewer
words.
"""

from collections.abc import Sequence
from itertools import groupby

from signet.db import ReadTx, Row, fts, vectors
from signet.domain.episodes import sql
from signet.domain.episodes.models import Match, Source, SourceType

#: Least cosine of the best chunk, and least number of the prompt's words in it.
LEAST_SIMILARITY = 0.38
LEAST_WORDS = 3
#: Words that are enough without vectors.
ENOUGH_WORDS = 8
#: Of a prompt so much is read.
READ_CHARS = 4_000
#: Best chunks of a source that count for its rank.
COUNTED = 3
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
    best = sum(abs(row["rank"]) for row in rows[:COUNTED]) or 1.0
    found = []
    for (type_, id_, at), group in groupby(
        sorted(zip(rows, similar, strict=True), key=lambda pair: _name(pair[0])),
        key=lambda pair: _name(pair[0]),
    ):
        ranked = sorted(group, key=lambda pair: pair[0]["rank"])
        row, near = max(ranked, key=lambda pair: (pair[1] or 0.0, abs(pair[0]["rank"])))
        if not _is_near(asked, [pair[0]["content"] for pair in ranked], near):
            continue
        words = sum(abs(pair[0]["rank"]) for pair in ranked[:COUNTED]) / best
        source = Source(type=SourceType(type_), id=id_, agent_id=agent_id, project=at)
        found.append(
            Match(
                source=source,
                position=row["position"],
                score=words / 2 + (near or 0.0),
                similarity=near,
                said_at=row["said_at"],
            )
        )
    return sorted(found, key=lambda match: match.score, reverse=True)


def shared_words(asked: Sequence[str], text: str) -> int:
    """Return how many of the words stand in a text, compared by their beginnings."""
    low = text.lower()
    return sum(word[:_STEM] in low for word in asked)


def _is_near(asked: Sequence[str], contents: Sequence[str], similarity: float | None) -> bool:
    shared = shared_words(asked, "\n".join(contents))
    if similarity is None:
        return shared >= ENOUGH_WORDS or shared == len(asked)
    return similarity >= LEAST_SIMILARITY and shared >= LEAST_WORDS


def _similarities(rows: Sequence[Row], vector: bytes | None) -> list[float | None]:
    if vector is None:
        return [None] * len(rows)
    known = [row["vector"] for row in rows if len(row["vector"] or b"") == len(vector)]
    found = iter(vectors.cosines(vector, known) if known else [])
    return [next(found) if len(row["vector"] or b"") == len(vector) else None for row in rows]


def _name(row: Row) -> tuple[str, str, str]:
    return row["source_type"], row["source_id"], row["project"]
