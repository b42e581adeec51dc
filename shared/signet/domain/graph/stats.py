"""How much the graph knows: counts of one agent, and how its entities served the predictor."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row
from signet.db.visibility import Reader
from signet.domain.graph.sql.visible import Visible as Sight
from signet.domain.graph.weights import WeightBounds

#: What counts as lately updated by feedback.
RECENT = timedelta(days=7)
#: A win rate that moves by less is stable.
TREND = 0.1

#: What is counted; all of it is 0 where there is no graph.
NOTHING: Mapping[str, int | float] = dict.fromkeys(
    (
        "entityCount",
        "aspectCount",
        "dependencyCount",
        "attributeCount",
        "constraintCount",
        "unassignedMemoryCount",
        "coveragePercent",
        "feedbackUpdatedAspectCount",
        "averageAspectWeight",
        "maxWeightAspectCount",
        "minWeightAspectCount",
    ),
    0,
)

_COUNTS = """
SELECT (SELECT count(*) FROM entities WHERE agent_id = :agent) AS entityCount,
  (SELECT count(*) FROM entity_dependencies WHERE agent_id = :agent) AS dependencyCount
"""
_ASPECTS = """
SELECT count(*) AS aspectCount, coalesce(round(avg(weight), 3), 0) AS averageAspectWeight,
  coalesce(sum(updated_at >= :recent), 0) AS feedbackUpdatedAspectCount,
  coalesce(sum(weight >= :high), 0) AS maxWeightAspectCount,
  coalesce(sum(weight <= :low), 0) AS minWeightAspectCount
FROM entity_aspects WHERE agent_id = :agent
"""
_ATTRIBUTES = """
SELECT coalesce(sum(kind = 'attribute'), 0) AS attributeCount,
  coalesce(sum(kind = 'constraint'), 0) AS constraintCount
FROM entity_attributes WHERE agent_id = :agent AND status = 'active'
"""
_COVERAGE = """
SELECT count(*) AS mentioned, coalesce(sum(EXISTS (
    SELECT 1 FROM entity_attributes a
    WHERE a.source_memory_id = m.id AND a.agent_id = :agent AND a.status = 'active')), 0) AS told
FROM memories m WHERE m.agent_id = :agent AND m.is_deleted = 0
  AND EXISTS (SELECT 1 FROM memory_entity_mentions x WHERE x.memory_id = m.id)
"""
_COMPARISONS = """
SELECT e.id AS focal_entity_id, e.name AS focal_entity_name, c.predictor_won, c.margin
FROM predictor_session_comparisons c JOIN entities e ON e.id = c.focal_entity_id
WHERE c.agent_id = :agent AND (:since IS NULL OR c.created_at >= :since) AND {entity}
ORDER BY c.created_at, c.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityHealth:
    """How often the predictor beat the baseline in sessions about one entity."""

    entity_id: str
    name: str
    comparisons: int
    win_rate: float
    margin: float
    trend: str


def counts(
    tx: ReadTx, *, agent_id: str, bounds: WeightBounds, now: datetime
) -> Mapping[str, int | float]:
    """Return the counts of an agent's graph by their wire names."""
    asked = {
        "agent": agent_id,
        "recent": clock.to_text(now - RECENT),
        "high": bounds.high,
        "low": bounds.low,
    }
    found: dict[str, int | float] = {}
    for sql in (_COUNTS, _ASPECTS, _ATTRIBUTES):
        found.update(_named(tx.one(sql, asked)))
    covered = _named(tx.one(_COVERAGE, asked))
    return found | coverage(int(covered["mentioned"]), int(covered["told"]))


def coverage(mentioned: int, told: int) -> dict[str, int | float]:
    """Return how many memories with a mention also told something; nothing mentioned is no coverage."""
    percent = min(100.0, round(100 * told / mentioned, 1)) if mentioned else 0.0
    return {"unassignedMemoryCount": max(0, mentioned - told), "coveragePercent": percent}


def health(tx: ReadTx, *, reader: Reader, since: str | None, least: int) -> list[EntityHealth]:
    """Return how each entity with at least `least` comparisons served, best first."""
    rows = defaultdict[str, list[Row]](list)
    sight = Sight.of(reader)
    asked = {"agent": reader.agent_id, "since": since, **sight.params}
    for row in tx.all(_COMPARISONS.format(entity=sight.entity()), asked):
        rows[row["focal_entity_id"]].append(row)
    found = [_health(entity_id, of) for entity_id, of in rows.items() if len(of) >= least]
    return sorted(found, key=lambda one: (-one.win_rate, -one.comparisons, one.name))


def trend(won: Sequence[bool]) -> str:
    """Return whether the newer half of the outcomes (oldest first) is better or worse than the older half."""
    half = len(won) // 2
    if not half:
        return "stable"
    change = _rate(won[half:]) - _rate(won[:half])
    return "improving" if change > TREND else "declining" if change < -TREND else "stable"


def _health(entity_id: str, rows: Sequence[Row]) -> EntityHealth:
    won = [bool(row["predictor_won"]) for row in rows]
    return EntityHealth(
        entity_id=entity_id,
        name=rows[-1]["focal_entity_name"],
        comparisons=len(rows),
        win_rate=_rate(won),
        margin=sum(row["margin"] for row in rows) / len(rows),
        trend=trend(won),
    )


def _rate(won: Sequence[bool]) -> float:
    return sum(won) / len(won)


def _named(row: Row | None) -> Mapping[str, int | float]:
    assert row is not None  # each statement is an aggregate
    return dict(row)
