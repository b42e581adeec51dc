"""Attributes of an entity that a newer one takes the place of (knowledge.md §5): superseded, never deleted.

Compared over all aspects of the entity: that somebody "lives in Paris" is background, that he "moved to Berlin" is
an event. A constraint is never superseded; running twice changes nothing more (KG-13).
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.graph import claims
from signet.domain.graph.claims import Signal

#: Attributes of one entity that are compared, the newest.
COMPARED = 200
#: Each memory of an entity is compared with the same attributes, and reading one costs 36 µs: 7 ms for all of them.
_claim = lru_cache(8_192)(claims.parse)

_TOLD = """
SELECT a.entity_id, a.attribute_value, e.name FROM entity_attributes a JOIN entities e ON e.id = a.entity_id
WHERE a.source_memory_id IN (SELECT value FROM json_each(?)) AND a.status = 'active' AND a.kind = 'attribute'
"""
#: Told is when the source of a fact was told, however late it is read.
_ATTRIBUTES = """
SELECT a.id, a.attribute_value, e.name, s.aspect_name, a.source_memory_id, a.rowid AS place, m.scope, m.visibility,
       coalesce(p.created_at, m.created_at) AS told
FROM entity_attributes a JOIN entities e ON e.id = a.entity_id
JOIN memories m ON m.id = a.source_memory_id AND m.is_deleted = 0
LEFT JOIN memories p ON m.source_type = 'pipeline-v2' AND p.id = m.source_id
LEFT JOIN entity_aspects s ON s.id = a.aspect_id
WHERE a.entity_id = ? AND a.status = 'active' AND a.kind = 'attribute'
ORDER BY told DESC, place DESC LIMIT ? + 0
"""
_SUPERSEDE = (
    "UPDATE entity_attributes SET status = 'superseded', superseded_by = ?, updated_at = ?"
    " WHERE id = ? AND status = 'active'"
    " AND EXISTS (SELECT 1 FROM entity_attributes WHERE id = ? AND source_memory_id IS NOT NULL)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """One attribute that another took the place of, and the memory that had told it."""

    old_id: str
    new_id: str
    memory_id: str
    aspect: str | None
    signal: Signal


#: Applies what was found and records it in the history of the memories, which stand above the graph: the caller of a
#: job passes it.
Supersede = Callable[[WriteTx, Sequence[Superseded], datetime], None]


def find(tx: ReadTx, memory_ids: Sequence[str], *, least: float) -> list[Superseded]:
    """Return what is replaced, as surely as `least`, among attributes of the entities that these memories tell of."""
    told = tx.all(_TOLD, (json.dumps(list(memory_ids)),))
    claim_something = (row for row in told if _claim(row["attribute_value"], row["name"]))
    found: list[Superseded] = []
    for entity_id in dict.fromkeys(row["entity_id"] for row in claim_something):
        rows = tx.all(_ATTRIBUTES, (entity_id, COMPARED))
        found += _replaced(rows, set(memory_ids))
    return [one for one in found if one.signal.confidence >= least]


def apply(tx: WriteTx, found: Sequence[Superseded], *, now: datetime) -> list[Superseded]:
    """Supersede what was found, now or before this transaction, where both are still there; return which."""
    at = clock.to_text(now)
    return [one for one in found if tx.run(_SUPERSEDE, (one.new_id, at, one.old_id, one.new_id))]


def _replaced(rows: Sequence[Row], told_by: set[str]) -> list[Superseded]:
    """Return what is replaced among the attributes of one entity, newest first; one side is of these memories."""
    known = [(row, _claim(row["attribute_value"], row["name"])) for row in rows]
    found: dict[str, Superseded] = {}
    for place, (new, claim) in enumerate(known):
        for old, before in known[place + 1 :] if claim else ():
            if before is None or old["id"] in found:
                continue
            if not told_by & {new["source_memory_id"], old["source_memory_id"]}:
                continue
            if (new["scope"], new["visibility"]) != (old["scope"], old["visibility"]):
                continue  # who may not read the one would be left without the other
            signal = claims.replaces(claim, before) if claim else None
            if signal is not None:
                found[old["id"]] = Superseded(
                    old_id=old["id"],
                    new_id=new["id"],
                    memory_id=old["source_memory_id"],
                    aspect=old["aspect_name"],
                    signal=signal,
                )
    return list(found.values())
