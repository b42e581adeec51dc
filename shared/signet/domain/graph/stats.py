"""How much the graph knows: counts of one agent, and how its entities served the predictor."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx
from signet.db.visibility import Reader
from signet.domain.graph.sql import reports as sql
from signet.domain.graph.sql.reports import Comparison
from signet.domain.graph.weights import WeightBounds
from signet.wire.knowledge import Coverage, KnowledgeStats

#: How recent an update by feedback is to be counted.
RECENT = timedelta(days=7)
#: A win rate that moves by less is stable.
TREND = 0.1

#: What is counted; all of it is 0 where there is no graph.
NOTHING: KnowledgeStats = {
    "entityCount": 0,
    "aspectCount": 0,
    "dependencyCount": 0,
    "attributeCount": 0,
    "constraintCount": 0,
    "unassignedMemoryCount": 0,
    "coveragePercent": 0,
    "feedbackUpdatedAspectCount": 0,
    "averageAspectWeight": 0,
    "maxWeightAspectCount": 0,
    "minWeightAspectCount": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityHealth:
    """How often the predictor beat the baseline in sessions about one entity."""

    entity_id: str
    name: str
    comparisons: int
    win_rate: float
    margin: float
    trend: str


def counts(tx: ReadTx, *, agent_id: str, bounds: WeightBounds, now: datetime) -> KnowledgeStats:
    """Return the counts of an agent's graph by their wire names."""
    recent = clock.to_text(now - RECENT)
    found = sql.counts(tx, agent_id, recent=recent, high=bounds.high, low=bounds.low)
    return {
        "entityCount": found.entities,
        "dependencyCount": found.dependencies,
        "aspectCount": found.aspects,
        "averageAspectWeight": found.average_weight,
        "feedbackUpdatedAspectCount": found.updated,
        "maxWeightAspectCount": found.at_most,
        "minWeightAspectCount": found.at_least,
        "attributeCount": found.attributes,
        "constraintCount": found.constraints,
        **coverage(found.mentioning, found.covered),
    }


def coverage(mentioning: int, covered: int) -> Coverage:
    """Return how many memories that mention an entity are the source of an attribute, too; without any it is 0 %."""
    percent = min(100.0, round(100 * covered / mentioning, 1)) if mentioning else 0.0
    return {"unassignedMemoryCount": max(0, mentioning - covered), "coveragePercent": percent}


def health(tx: ReadTx, *, reader: Reader, since: str | None, least: int) -> list[EntityHealth]:
    """Return how each entity with at least `least` comparisons served, best first."""
    of_entity = defaultdict[str, list[Comparison]](list)
    for row in sql.comparisons(tx, reader=reader, since=since):
        of_entity[row.entity_id].append(row)
    found = [_health(rows) for rows in of_entity.values() if len(rows) >= least]
    return sorted(found, key=lambda one: (-one.win_rate, -one.comparisons, one.name))


def trend(won: Sequence[bool]) -> str:
    """Return whether the newer half of the outcomes (oldest first) is better or worse than the older half."""
    half = len(won) // 2
    if not half:
        return "stable"
    change = _rate(won[half:]) - _rate(won[:half])
    return "improving" if change > TREND else "declining" if change < -TREND else "stable"


def _health(rows: Sequence[Comparison]) -> EntityHealth:
    won = [bool(row.won) for row in rows]
    return EntityHealth(
        entity_id=rows[-1].entity_id,
        name=rows[-1].name,
        comparisons=len(rows),
        win_rate=_rate(won),
        margin=sum(row.margin for row in rows) / len(rows),
        trend=trend(won),
    )


def _rate(won: Sequence[bool]) -> float:
    return sum(won) / len(won)
