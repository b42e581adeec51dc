"""How much the graph knows: counts of one agent, and how its entities served the predictor."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, cast

from signet import clock
from signet.db import ReadTx
from signet.db.columns import part
from signet.db.visibility import Reader
from signet.domain.graph.sql import reports as sql
from signet.domain.graph.sql.visible import Visible
from signet.domain.graph.weights import WeightBounds
from signet.wire.knowledge import Coverage, EntityHealth, GraphCounts, KnowledgeStats

#: How recent an update by feedback is to be counted.
RECENT = timedelta(days=7)
#: A win rate that moves by less is stable.
TREND = 0.1

#: What is counted where there is no graph.
NOTHING = cast("KnowledgeStats", dict.fromkeys(KnowledgeStats.__annotations__, 0))


class _Counts(GraphCounts):
    mentioning: int
    covered: int


class _Comparison(NamedTuple):
    """Whether the predictor beat the baseline in a session about an entity, and by how much."""

    entity_id: str
    name: str
    won: int
    margin: float


def counts(tx: ReadTx, *, agent_id: str, bounds: WeightBounds, now: datetime) -> KnowledgeStats:
    """Return the counts of an agent's graph by their wire names."""
    recent = clock.to_text(now - RECENT)
    asked = {"agent": agent_id, "recent": recent, "high": bounds.high, "low": bounds.low}
    [found] = tx.records(_Counts, sql.COUNTS, asked)
    return {**part(GraphCounts, found), **coverage(found["mentioning"], found["covered"])}


def coverage(mentioning: int, covered: int) -> Coverage:
    """Return how many memories that mention an entity are the source of an attribute, too; without any it is 0 %."""
    percent = min(100.0, round(100 * covered / mentioning, 1)) if mentioning else 0.0
    return {"unassignedMemoryCount": max(0, mentioning - covered), "coveragePercent": percent}


def health(tx: ReadTx, *, reader: Reader, since: str | None, least: int) -> list[EntityHealth]:
    """Return how each entity with at least `least` comparisons served, best first."""
    of_entity = defaultdict[str, list[_Comparison]](list)
    for row in Visible(tx, reader).rows(_Comparison, sql.COMPARISONS, since=since):
        of_entity[row.entity_id].append(row)
    found = [_health(rows) for rows in of_entity.values() if len(rows) >= least]
    return sorted(
        found, key=lambda one: (-one["winRate"], -one["comparisonCount"], one["entityName"])
    )


def trend(won: Sequence[bool]) -> str:
    """Return whether the newer half of the outcomes (oldest first) is better or worse than the older half."""
    half = len(won) // 2
    if not half:
        return "stable"
    change = _rate(won[half:]) - _rate(won[:half])
    return "improving" if change > TREND else "declining" if change < -TREND else "stable"


def _health(rows: Sequence[_Comparison]) -> EntityHealth:
    won = [bool(row.won) for row in rows]
    return {
        "entityId": rows[-1].entity_id,
        "entityName": rows[-1].name,
        "comparisonCount": len(rows),
        "winRate": round(_rate(won), 4),
        "avgMargin": round(sum(row.margin for row in rows) / len(rows), 4),
        "trend": trend(won),
    }


def _rate(won: Sequence[bool]) -> float:
    return sum(won) / len(won)
