"""The graph channel: memories that hang on what the question names, though they may share no word with it."""

from collections.abc import Callable, Sequence

from signet.db import ReadTx
from signet.db.visibility import Where
from signet.domain.graph import traversal
from signet.domain.graph.models import Entity
from signet.domain.recall.models import Scores
from signet.domain.recall.sql import reading


def walk(
    tx: ReadTx,
    start: Sequence[Entity],
    bounds: traversal.TraversalBounds,
    expired: Callable[[], bool],
) -> traversal.Traversal:
    """Return the walk from the entities that a question names."""
    return traversal.traverse(tx, start, bounds=bounds, expired=expired)


def structure(tx: ReadTx, found: traversal.Traversal, where: Where, most: int) -> Scores:
    """Return the structural importance of the memories of a walk that pass: of constraints (KG-4) and `most` others."""
    best = sorted(found.memories, key=found.memories.__getitem__, reverse=True)
    others = [one for one in best if one not in found.constraints]
    for looked in (most + most // 4, len(others)):
        passing = reading.seqs(tx, found.constraints.union(others[:looked]), where)
        kept = [one for one in others if one in passing][:most]
        if len(kept) == most or looked >= len(others):
            break
    shown = found.constraints.intersection(passing).union(kept)
    return {passing[one]: found.memories[one] for one in best if one in shown}
