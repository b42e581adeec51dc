"""Find the five memories most similar to a new fact, of the same owner and scope (PIP-6).

Excludes the source memory, which always resembles its facts, document chunks, and superseded memories, because a fact
that repeats one is news.
"""

import json
from heapq import nlargest
from operator import itemgetter

from signet.db import ReadTx, Row, fts
from signet.db.visibility import Where
from signet.domain.extraction import sql
from signet.domain.extraction.models import ComparedMemory
from signet.domain.memory.models import Memory
from signet.domain.recall.vector import by_file

KEPT = 5
#: Words of a fact in the search. Each costs an index lookup, and longer words are rarer.
WORDS = 8
#: Weight of the vector score for a memory that both searches found.
ALPHA = 0.7


def holds(tx: ReadTx, source: Memory, digest: str) -> bool:
    return (
        tx.one(sql.HOLDS, (digest, source.agent_id, source.scope, source.project or "")) is not None
    )


def like(
    tx: ReadTx, source: Memory, text: str, vector: bytes | None, *, model: str | None
) -> list[ComparedMemory]:
    """Return the memories most similar to a text, best first.

    Without a vector, pass None; only vectors of the same `model` are compared.
    """
    owner = (source.agent_id, source.scope, source.visibility, source.id, source.project or "")
    own = Where(sql.OWN, owner)
    found = by_file(tx, vector, own, sql.PER_CHANNEL, model) if vector else {}
    similar = dict(nlargest(sql.PER_CHANNEL, found.items(), key=itemgetter(1)))
    keyword = _keyword(tx, text, own)
    scores = {
        seq: _score(keyword.get(seq), similar.get(seq)) for seq in similar.keys() | keyword.keys()
    }
    kept = sorted(scores, key=lambda seq: (-scores[seq], seq))[:KEPT]
    rows = {row["seq"]: row for row in tx.all(sql.KEPT, (json.dumps(kept),))}
    return [_candidate(rows[seq], similar.get(seq, 0.0)) for seq in kept]


def _score(keyword: float | None, similar: float | None) -> float:
    if keyword is None or similar is None:
        return keyword or similar or 0.0
    return ALPHA * similar + (1 - ALPHA) * keyword


def _keyword(tx: ReadTx, text: str, own: Where) -> dict[int, float]:
    terms = sorted(fts.content_words(text), key=len, reverse=True)[:WORDS]
    if not terms:
        return {}
    rows = tx.all(sql.KEYWORD, (fts.any_of(terms), *own.params))
    return fts.scores({row[0]: row[1] for row in rows})


def _candidate(row: Row, similarity: float) -> ComparedMemory:
    return ComparedMemory(
        id=row["id"],
        type=row["type"],
        content=row["content"],
        version=row["version"],
        similarity=similarity,
    )
