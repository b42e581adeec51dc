"""What the rating of a memory says about the way to it: the aspects and edges that led there (knowledge.md §8).

Each moves by a small step times what the memory was worth: its rating, and what was done with it afterwards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import weights
from signet.domain.graph.weights import Bounds

#: Steps of one rating of 1 (knowledge.md §8).
ASPECT_STEP = 0.02
STRENGTH_STEP = 0.04
CONFIDENCE_STEP = 0.05

_ASPECT = """
SELECT s.weight, EXISTS (SELECT 1 FROM entity_attributes c WHERE c.aspect_id = s.id AND c.kind = 'constraint'
                          AND c.status = 'active') AS holds_constraint
FROM entity_aspects s WHERE s.id = ? AND s.agent_id = ? AND NOT EXISTS (
  SELECT 1 FROM entity_pinning p
  WHERE p.agent_id = s.agent_id AND p.entity_id = s.entity_id AND p.pin_type = 'suppress')"""
_WEIGH = "UPDATE entity_aspects SET weight = ?, updated_at = ? WHERE id = ?"
_STEP = """
UPDATE entity_dependencies SET strength = min(1.0, max(0.0, strength + ?)),
       confidence = min(1.0, max(0.0, coalesce(confidence, 0.7) + ?)), updated_at = ?
 WHERE id = ? AND agent_id = ?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """What led to a memory, by ids, and how often it was cited, updated, built upon or led nowhere afterwards."""

    aspects: Sequence[str] = ()
    edges: Sequence[str] = ()
    cited: float = 0.0
    updated: float = 0.0
    created: float = 0.0
    dead_ends: float = 0.0

    @property
    def reward(self) -> float:
        """Return what was done with the memory, in ratings."""
        return self.cited + 0.5 * self.updated + 0.6 * self.created - 0.15 * self.dead_ends


def worth(rating: float, path: Path) -> float:
    """Return what a memory was worth, -1..1."""
    return min(1.0, max(-1.0, rating + path.reward))


def apply(
    tx: WriteTx,
    scores: Mapping[str, float],
    paths: Mapping[str, Path],
    *,
    agent_id: str,
    bounds: Bounds,
    now: datetime,
) -> int:
    """Move what led to the rated memories of this agent; return how many aspects and edges moved."""
    steps, at, moved = replace(bounds, step=ASPECT_STEP), clock.to_text(now), 0
    for memory_id, path in paths.items():
        by = worth(scores[memory_id], path) if memory_id in scores else 0.0
        for aspect_id in path.aspects if by else ():
            row = tx.one(_ASPECT, (aspect_id, agent_id))
            if row is not None:
                holds = bool(row["holds_constraint"])
                weight = weights.moved(row["weight"], by, steps, holds_constraint=holds)
                moved += tx.run(_WEIGH, (weight, at, aspect_id))
        for edge_id in path.edges if by else ():
            moved += tx.run(
                _STEP, (STRENGTH_STEP * by, CONFIDENCE_STEP * by, at, edge_id, agent_id)
            )
    return moved
