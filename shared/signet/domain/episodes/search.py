"""Find chunks of sessions and commits by words or time, and compare them with a prompt."""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from signet.db import ReadTx, fts, vectors
from signet.db.vector_cache import VectorCache, best_of, first
from signet.db.visibility import Reader
from signet.domain.episodes import split, sql
from signet.domain.episodes.models import FoundRow, SourceType
from signet.domain.transcripts import withheld

if TYPE_CHECKING:
    from signet.db.binary_index import Flags

#: Vectors compared directly if there are no sign bits.
COMPARED = 2_000
#: Characters of a prompt that are read.
READ_CHARS = 4_000
#: Letters compared of a word: an approximation of the index's stemming.
_STEM = 5
#: Signs that mark a word as an identifier.
IDENTIFIER = re.compile(r"[\d_./:]")
#: The label of a conversation turn.
LABEL = re.compile(r"(?:User|Assistant|Tool)(?: \([^)\n]*\))?: ")


class ChunkScope(NamedTuple):
    """The reader and the searched project (None: any), without the chunks of the session `but`."""

    reader: Reader
    project: str | None
    but: str | None = None
    commits: bool = True
    most: int = sql.CANDIDATES

    def asked(self, *, spoken: bool = False) -> sql.ChunkFilter:
        """Return the filter for SQL statements."""
        _, project, but, commits, most = self
        return sql.ChunkFilter(self.reader.agent_id, project, but, commits, spoken, most)


def by_words(
    tx: ReadTx, words: str | None, scope: ChunkScope, *, spoken: bool = False
) -> list[FoundRow]:
    """Return the chunks that best match a full-text expression, without forgotten statements.

    Without words, the newest chunks. `spoken` omits session chunks without a person's message.
    """
    asked = scope.asked(spoken=spoken)

    def read() -> list[FoundRow]:
        found = sql.newest(tx, asked) if words is None else sql.search(tx, words, asked)
        return _cleaned(tx, found, scope.reader)

    return tx.once(("said", words, asked), read)


class ChunkVectors(VectorCache):
    """The sign bits of chunk vectors."""

    statements = sql.VECTORS
    name = "chunk-signs"


def near(tx: ReadTx, vector: bytes, scope: ChunkScope, *, model: str | None) -> list[FoundRow]:
    """Return the chunks nearest to a vector, best first, without forgotten statements.

    Compares a few exactly; of many, those that their sign bits choose; the newest while the bits are loading.
    """
    asked = scope.asked()
    cosines = None
    if tx.caches is not None:
        signs, flags = tx.caches.get(ChunkVectors), partial(_flags, tx, asked)
        cosines = signs.nearest(tx, vector, flags, scope.most, model=model)
    if cosines is None:
        found = sql.newest_vectors(tx, asked, bytes=len(vector), model=model, most=COMPARED)
        every = vectors.cosines(vector, [one for _, one in found])
        cosines = best_of([chunk for chunk, _ in found], every)
    return _cleaned(tx, sql.numbered(tx, list(first(cosines, scope.most)), asked), scope.reader)


def _flags(tx: ReadTx, asked: sql.ChunkFilter) -> "Flags":
    """Return for each chunk number whether the chunk is in scope."""
    import numpy as np

    passing = np.fromstring(sql.passing(tx, asked), dtype=np.int64, sep=",")
    flags = np.zeros(int(passing.max(initial=0)) + 1, dtype=np.bool_)
    flags[passing] = True
    return flags


def within(
    tx: ReadTx, scope: ChunkScope, *, since: str = "", until: str = "9999"
) -> list[FoundRow]:
    """Return the newest chunks of sessions and commits in an interval, without forgotten statements."""
    return _cleaned(tx, sql.within(tx, scope.asked(), since, until), scope.reader)


def beside(tx: ReadTx, row: FoundRow, scope: ChunkScope, reach: int) -> list[FoundRow]:
    """Return a chunk and those of its source around it, in order, without forgotten statements."""
    return _cleaned(tx, sql.beside(tx, row, scope.asked(), reach), scope.reader)


def messages(tx: ReadTx, scope: ChunkScope) -> list[FoundRow]:
    """Return the beginnings of the newest commit messages, newest first, without forgotten statements."""
    return _cleaned(tx, sql.messages(tx, scope.asked()), scope.reader)


#: For other nouns, which use no SQL of this one.
saved, in_one_chunk = sql.memories, sql.in_one_chunk


def _cleaned(tx: ReadTx, found: Sequence[FoundRow], reader: Reader) -> list[FoundRow]:
    """Remove statements withheld from a reader; memories were checked as a whole."""
    is_cleaned = any(row.source_type != SourceType.MEMORY for row in found)
    known = withheld.unquoted(tx, reader.agent_id) if is_cleaned else []
    return [
        row
        if row.source_type == SourceType.MEMORY
        else row._replace(content=withheld.without(row.content, known, row.said_at))
        for row in found
    ]


def has_any(tx: ReadTx) -> bool:
    """Return whether any agent's session or commit is indexed."""
    return sql.count(tx) > 0


def holders(tx: ReadTx, words: Sequence[str]) -> tuple[list[int], int]:
    """Return how many chunks of any agent contain each word (at most 1,000), and the approximate total."""
    return [sql.holders(tx, fts.any_of([word])) for word in words], sql.count(tx)


def roots(tx: ReadTx, memory_ids: Sequence[str]) -> dict[str, str | None]:
    """Return the session from which each memory was distilled; None for no session, and for an edited memory."""
    return sql.roots(tx, memory_ids)


def count_sources(tx: ReadTx, agent_id: str) -> int:
    return sql.sources(tx, agent_id)


def count_holding(tx: ReadTx, agent_id: str, words: str, *, but: Sequence[str], most: int) -> int:
    """Count the sources that match a full-text expression, except those in `but`; at most `most`."""
    return sql.holding(tx, agent_id, words, but=but, most=most)


def shared_words(asked: Sequence[str], text: str) -> int:
    """Count the words that a text contains, compared by their beginnings, which may be inside a word.

    Joins the parts of code names. When short words matched only at the beginning of others, the passages of one of 20
    own tasks (loadtests, scenario `delivery`) no longer reached their prompt, and nothing else changed.
    """
    low = unlabelled(text)
    return sum(stem(word) in low for word in asked)


def unlabelled(text: str) -> str:
    """Return a text in folded form without speaker labels: "use" must not match "User: yes"."""
    return fts.folded(LABEL.sub("", text))


@lru_cache(4_096)
def stem(word: str) -> str:
    """Return an approximate stem: the beginning of the word, or of its longest part between hyphens.

    An identifier (with a digit, an underscore or a mark) is its own stem.
    """
    plain = fts.folded(word).partition("*")[0]
    return plain if IDENTIFIER.search(plain) else max(plain.split("-"), key=len)[:_STEM]


def near_exchanges(row: FoundRow, vector: bytes | None) -> list[tuple[str, float]]:
    """Return the exchanges of a chunk, each with how much nearer to a vector it is than the farthest one.

    None for a commit, and for a chunk without vectors of this width.
    """
    found = exchanges(row, vector)
    least = min(cosine for _, cosine in found)
    is_known = len(found) > 1 and any(cosine for _, cosine in found)
    return [(text, cosine - least) for text, cosine in found] if is_known else []


def exchanges(row: FoundRow, vector: bytes | None) -> list[tuple[str, float]]:
    """Return the exchanges of a chunk with their cosines to a vector, 0 for a chunk without vectors of this width."""
    texts = split.exchanges(row.content, SourceType(row.source_type))
    if not (vector and row.vectors and len(row.vectors) == len(texts) * len(vector)):
        return [(text, 0.0) for text in texts]
    return list(zip(texts, vectors.cosines(vector, [row.vectors]), strict=True))


def similarities(found: Sequence[bytes | None], vector: bytes | None) -> list[float | None]:
    """Return the cosine of each vector to this one, None if either is missing or of another model."""
    if vector is None:
        return [None] * len(found)
    known = [one for one in found if one is not None and len(one) == len(vector)]
    cosines = iter(vectors.cosines(vector, known) if known else [])
    return [next(cosines) if len(one or b"") == len(vector) else None for one in found]
