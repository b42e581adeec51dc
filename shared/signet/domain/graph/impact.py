"""Who is hit when an entity changes: a walk along the edges, breadth first, with an end.

One fixed sense, so that the labels are true: whatever uses, requires or otherwise rests on a thing is hit by its
change, and so is what it blocks or informs. Upstream is the other way round: whose changes hit this one.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from signet.db import ReadTx, Row
from signet.db.visibility import Reader
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.sql.visible import Visible as Sight

#: A change runs along these edges; along all others it runs against them.
WITH_THE_EDGE = ("blocks", "informs")
#: By distance; what is farther away has the last one.
LABELS = ("WILL BREAK", "LIKELY AFFECTED", "MAY NEED TESTING")
#: Entities whose edges are read before the clock is looked at again.
AT_ONCE = 50

_START = "SELECT id, name FROM entities e WHERE id = :id AND agent_id = :agent AND {entity}"
_NEXT = """
SELECT DISTINCT e.id, e.name, e.entity_type AS type
FROM json_each(:ids) j CROSS JOIN entity_dependencies d INDEXED BY idx_entity_dependencies_{near}
  ON d.{near}_entity_id = j.value
CROSS JOIN entities n ON n.id = d.{near}_entity_id
CROSS JOIN entities e ON e.id = d.{far}_entity_id
WHERE d.agent_id = :agent AND d.dependency_type {is_with} IN ('blocks', 'informs') AND {{edge}}
"""
_FROM_SOURCE = {"near": "source", "far": "target"}
_FROM_TARGET = {"near": "target", "far": "source"}
_DOWNSTREAM = (
    _NEXT.format(is_with="", **_FROM_SOURCE),
    _NEXT.format(is_with="NOT", **_FROM_TARGET),
)
_UPSTREAM = (
    _NEXT.format(is_with="", **_FROM_TARGET),
    _NEXT.format(is_with="NOT", **_FROM_SOURCE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """The entities at one distance from where a change begins."""

    depth: int
    entities: Sequence[Row]

    @property
    def label(self) -> str:
        """Return what becomes of them."""
        return LABELS[min(self.depth, len(LABELS)) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Everything that is hit, nearest first; each entity once."""

    entity: Row
    rings: Sequence[Ring]
    timed_out: bool


def of(
    tx: ReadTx,
    entity_id: str,
    *,
    reader: Reader,
    upstream: bool,
    depth: int,
    expired: Callable[[], bool],
) -> Impact:
    """Return what a change of the entity hits, up to this distance; raises UnknownEntity.

    When `expired` says so the walk ends with what it has.
    """
    sight = Sight.of(reader)
    asked = {"agent": reader.agent_id, **sight.params}
    entity = tx.one(_START.format(entity=sight.entity()), asked | {"id": entity_id})
    if entity is None:
        raise UnknownEntity(entityId=entity_id)
    seen, frontier = {entity_id}, [entity_id]
    rings: list[Ring] = []
    edge = sight.edge("n", "e")
    steps = [sql.format(edge=edge) for sql in (_UPSTREAM if upstream else _DOWNSTREAM)]
    while frontier and len(rings) < depth:
        ring, in_time = _around(tx, frontier, seen, steps, asked, expired)
        if ring:
            rings.append(Ring(depth=len(rings) + 1, entities=ring))
        if not in_time:
            return Impact(entity=entity, rings=rings, timed_out=True)
        frontier = [row["id"] for row in ring]
    return Impact(entity=entity, rings=rings, timed_out=False)


def _around(
    tx: ReadTx,
    frontier: Sequence[str],
    seen: set[str],
    steps: Sequence[str],
    asked: Mapping[str, object],
    expired: Callable[[], bool],
) -> tuple[list[Row], bool]:
    """Return the entities one edge away that were not seen before, and whether there was time for all."""
    ring: list[Row] = []
    for start in range(0, len(frontier), AT_ONCE):
        if expired():
            return ring, False
        ids = {"ids": json.dumps(frontier[start : start + AT_ONCE])}
        for sql in steps:
            for row in tx.all(sql, {**asked, **ids}):
                if row["id"] not in seen:
                    seen.add(row["id"])
                    ring.append(row)
    return sorted(ring, key=lambda row: (row["name"], row["id"])), True
