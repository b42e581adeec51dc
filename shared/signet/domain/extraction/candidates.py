"""Which memories a new fact is compared with: the five most alike of the same owner and scope (PIP-6).

The source memory itself is left out, because a text always resembles what was read from it, and so are document
chunks.
"""

import json
from collections.abc import Mapping

from signet.db import ReadTx, Row, fts, vectors
from signet.domain.extraction.models import Candidate
from signet.domain.memory.models import Memory

#: Rows looked at by each channel, and how many of both are kept.
PER_CHANNEL = 10
KEPT = 5
#: Words of a fact that are looked for. Each costs a walk of the index, and the longer ones are the rarer.
WORDS = 8
#: Weight of the vector side where both sides found a memory (recall.md §5).
ALPHA = 0.7

_OWN = """
m.is_deleted = 0 AND m.agent_id = :agent_id AND m.scope IS :scope AND m.visibility = :visibility
   AND m.id <> :source_id AND m.type <> 'document_chunk'"""
#: Ranked in the index; only what is kept is read from the table.
_KEYWORD = f"""
SELECT m.seq, m.id, m.type, m.content, m.version, found.rank
  FROM (SELECT f.rowid, f.rank FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid
         WHERE memories_fts MATCH :match AND {_OWN} ORDER BY f.rank LIMIT {PER_CHANNEL}) found
  JOIN memories m ON m.seq = found.rowid"""
_BY_VECTOR = f"""
SELECT m.id, m.type, m.content, m.version, e.id AS vector_id
  FROM embeddings e JOIN memories m ON m.id = e.source_id
 WHERE e.id IN (SELECT value FROM json_each(:vector_ids)) AND e.source_type = 'memory' AND {_OWN}"""
_HOLDS = """
SELECT 1 FROM memories m WHERE m.content_hash = ? AND m.is_deleted = 0 AND m.agent_id = ? AND m.scope IS ?"""


def holds(tx: ReadTx, source: Memory, digest: str) -> bool:
    """Return whether the source's owner has an active memory with this content hash."""
    return tx.one(_HOLDS, (digest, source.agent_id, source.scope)) is not None


def like(tx: ReadTx, source: Memory, text: str, vector: bytes | None) -> list[Candidate]:
    """Return the memories most alike to a text, best first; `vector` is None when there is none now."""
    own: dict[str, object] = {
        "agent_id": source.agent_id,
        "scope": source.scope,
        "visibility": source.visibility,
        "source_id": source.id,
    }
    found: dict[str, Candidate] = {}
    similar = _similar(tx, vector, own, found)
    keyword = _keyword(tx, text, own, found)
    ranked = sorted(found, key=lambda one: -_score(keyword.get(one), similar.get(one)))
    return [found[memory_id] for memory_id in ranked[:KEPT]]


def _score(keyword: float | None, similar: float | None) -> float:
    if keyword is None or similar is None:
        return keyword or similar or 0.0
    return ALPHA * similar + (1 - ALPHA) * keyword


def _keyword(
    tx: ReadTx, text: str, own: Mapping[str, object], found: dict[str, Candidate]
) -> dict[str, float]:
    terms = sorted(fts.content_words(text), key=len, reverse=True)[:WORDS]
    if not terms:
        return {}
    rows = tx.all(_KEYWORD, {**own, "match": fts.any_of(terms)})
    by_seq = {row["seq"]: row["id"] for row in rows}
    for row in rows:
        found.setdefault(row["id"], _candidate(row))
    scores = fts.scores({row["seq"]: row["rank"] for row in rows})
    return {by_seq[seq]: score for seq, score in scores.items()}


def _similar(
    tx: ReadTx, vector: bytes | None, own: Mapping[str, object], found: dict[str, Candidate]
) -> dict[str, float]:
    if vector is None:
        return {}
    near = dict(vectors.knn(tx, vector, PER_CHANNEL * 3))
    for row in tx.all(_BY_VECTOR, {**own, "vector_ids": json.dumps(list(near))}):
        other, similarity = found.get(row["id"]), near[row["vector_id"]]
        if other is None or other.similarity < similarity:
            found[row["id"]] = _candidate(row, similarity)
    return {memory_id: one.similarity for memory_id, one in found.items()}


def _candidate(row: Row, similarity: float = 0.0) -> Candidate:
    return Candidate(
        id=row["id"],
        type=row["type"],
        content=row["content"],
        version=row["version"],
        similarity=similarity,
    )
