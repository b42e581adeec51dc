"""What a change of an entity affects: a bounded traversal along dependencies, breadth first.

One fixed sense, so that the labels are true: what uses, requires or otherwise depends on an entity is affected by its
change, and so is what it blocks or informs. Upstream is the other way round: whose changes affect this one.
"""

from collections.abc import Callable

from signet.db import ReadTx
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.graph import browse
from signet.domain.graph.sql import reports as sql
from signet.domain.graph.sql.visible import Visible
from signet.wire.knowledge import AffectedEntity, Impact, Ring

#: By distance; what is farther away has the last one.
LABELS = ("WILL BREAK", "LIKELY AFFECTED", "MAY NEED TESTING")
#: Entities whose edges are read before the clock is looked at again.
AT_ONCE = 50


def of(
    tx: ReadTx,
    entity_id: str,
    *,
    reader: Reader,
    direction: str,
    depth: int,
    expired: Callable[[], bool],
) -> Impact:
    """Return what a change of the entity affects (`downstream`), or whose change affects it; raises UnknownEntity.

    Each entity is in the ring of its distance, up to `depth`. When `expired` says so the traversal ends with what it
    has.
    """
    name = browse.name(tx, entity_id, reader=reader)
    seen, frontier, in_time = {entity_id}, [entity_id], True
    visible, statements = Visible(tx, reader), sql.NEXT[direction]
    rings: list[Ring] = []
    while frontier and len(rings) < depth and in_time:
        ring: dict[str, AffectedEntity] = {}
        for start in range(0, len(frontier), AT_ONCE):
            in_time = not expired()
            if not in_time:
                break
            ids = as_list(frontier[start : start + AT_ONCE])
            for statement in statements:
                for one in visible.records(AffectedEntity, statement, ids=ids):
                    if one["id"] not in seen:
                        ring.setdefault(one["id"], one)
        if ring:
            entities = sorted(ring.values(), key=lambda one: (one["name"], one["id"]))
            label = LABELS[min(len(rings), len(LABELS) - 1)]
            rings.append({"depth": len(rings) + 1, "label": label, "entities": entities})
        seen |= ring.keys()
        frontier = [one["id"] for one in rings[-1]["entities"]] if ring else []
    found: Impact = {
        "entityId": entity_id,
        "entityName": name,
        "direction": direction,
        "impact": rings,
    }
    return found if in_time else {**found, "timedOut": True}
