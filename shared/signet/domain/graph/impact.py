"""What a change of an entity affects: a bounded traversal along dependencies, breadth first.

One fixed sense, so that the labels are true: what uses, requires or otherwise depends on an entity is affected by its
change, and so is what it blocks or informs. Upstream is the other way round: whose changes affect this one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.graph import browse
from signet.domain.graph.models import Entity
from signet.domain.graph.sql import reports as sql

#: By distance; what is farther away has the last one.
LABELS = ("WILL BREAK", "LIKELY AFFECTED", "MAY NEED TESTING")
#: Entities whose edges are read before the clock is looked at again.
AT_ONCE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """The entities at one distance from where a change begins."""

    depth: int
    entities: Sequence[Entity]

    @property
    def label(self) -> str:
        """Return how likely they are affected."""
        return LABELS[min(self.depth, len(LABELS)) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Everything that is affected, nearest first; each entity once."""

    entity_id: str
    name: str
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
    """Return what a change of the entity affects, up to this distance; raises UnknownEntity.

    When `expired` says so the traversal ends with what it has.
    """
    name = browse.name(tx, entity_id, reader=reader)
    seen, frontier, in_time = {entity_id}, [entity_id], True
    rings: list[Ring] = []
    while frontier and len(rings) < depth and in_time:
        ring: dict[str, Entity] = {}
        for start in range(0, len(frontier), AT_ONCE):
            in_time = not expired()
            if not in_time:
                break
            ids = frontier[start : start + AT_ONCE]
            for one in sql.affected(tx, ids, reader=reader, upstream=upstream):
                if one.id not in seen:
                    ring.setdefault(one.id, one)
        if ring:
            entities = sorted(ring.values(), key=lambda one: (one.name, one.id))
            rings.append(Ring(depth=len(rings) + 1, entities=entities))
        seen |= ring.keys()
        frontier = [one.id for one in rings[-1].entities] if ring else []
    return Impact(entity_id=entity_id, name=name, rings=rings, timed_out=not in_time)
