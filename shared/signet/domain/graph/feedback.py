"""What sessions and time do to the weights of aspects, and to attributes whose memory is gone (knowledge.md §8).

A session counts once: each of its uses of memories is handed over once (KG-23, `injections/usefulness.py`). The rules
are in `weights.py`.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from signet import clock
from signet.config.pipeline import Feedback
from signet.db import ReadTx, Row, WriteTx, runtime_settings
from signet.domain.graph import weights
from signet.domain.graph.weights import Bounds, Use

_HOLDS_CONSTRAINT = """
EXISTS (SELECT 1 FROM entity_attributes c
        WHERE c.aspect_id = s.id AND c.kind = 'constraint' AND c.status = 'active')
"""
_NOT_SUPPRESSED = """
NOT EXISTS (SELECT 1 FROM entity_pinning p
            WHERE p.agent_id = s.agent_id AND p.entity_id = s.entity_id AND p.pin_type = 'suppress')
"""
_ASPECTS = f"""
SELECT DISTINCT a.source_memory_id, s.id, s.weight, {_HOLDS_CONSTRAINT} AS holds_constraint,
  {_NOT_SUPPRESSED} AS is_shown
FROM entity_attributes a CROSS JOIN entity_aspects s ON s.id = a.aspect_id
WHERE a.source_memory_id IN (SELECT value FROM json_each(?)) AND a.status = 'active' AND s.agent_id = ?
"""
_STALE = f"""
SELECT s.id, s.weight, s.updated_at, {_HOLDS_CONSTRAINT} AS holds_constraint FROM entity_aspects s
WHERE s.updated_at < :before AND (:agent IS NULL OR s.agent_id = :agent)
  AND s.weight > CASE WHEN {_HOLDS_CONSTRAINT} THEN max(:low, :floor) ELSE :low END
"""
_FADE = "UPDATE entity_aspects SET weight = ?, updated_at = ? WHERE id = ? AND updated_at = ?"
_WEIGH = "UPDATE entity_aspects SET weight = ?, updated_at = ? WHERE id = ?"
_FORGOTTEN = """
SELECT a.id FROM memories m INDEXED BY idx_memories_deleted_at
CROSS JOIN entity_attributes a ON a.source_memory_id = m.id
WHERE m.is_deleted = 1 AND a.status = 'active'
UNION ALL
SELECT a.id FROM entity_attributes a WHERE a.status = 'active' AND a.source_memory_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = a.source_memory_id)
"""
_SUPERSEDE = """
UPDATE entity_attributes SET status = 'superseded', updated_at = ?1
WHERE id IN (SELECT value FROM json_each(?2)) AND status = 'active'
  AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = source_memory_id AND m.is_deleted = 0)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What a session changed."""

    memories: int = 0
    aspects: int = 0
    decayed: int = 0


def apply_session(
    tx: WriteTx, uses: Mapping[str, Use], *, agent_id: str, settings: Feedback, now: datetime
) -> Weighed:
    """Move the weights of aspects by how the memories that a session was given served it (`uses`, by memory id).

    Every `decay_interval_sessions` sessions weights fade.
    """
    if not uses:
        return Weighed()
    aspects = _reward(tx, uses, agent_id, Bounds.of(settings), now)
    faded: list[Row] = []
    if settings.decay_enabled and _is_turn(tx, agent_id, settings.decay_interval_sessions):
        faded = stale(tx, settings, agent_id=agent_id, now=now)
        fade(tx, faded, settings, now=now)
    return Weighed(memories=len(uses), aspects=aspects, decayed=len(faded))


def stale(
    tx: ReadTx, settings: Feedback, *, now: datetime, agent_id: str | None = None
) -> list[Row]:
    """Return the aspects that nobody has touched for `stale_days` and that can still fade; of one agent, or of all."""
    asked = {
        "before": clock.to_text(now - timedelta(days=settings.stale_days)),
        "agent": agent_id,
        "low": settings.min_aspect_weight,
        "floor": weights.CONSTRAINT_FLOOR,
    }
    return tx.all(_STALE, asked)


def fade(tx: WriteTx, found: Sequence[Row], settings: Feedback, *, now: datetime) -> None:
    """Lower the weight of stale aspects, unless somebody has touched them meanwhile.

    Each is touched by that, so it fades at most once in `stale_days`.
    """
    bounds, at = Bounds.of(settings), clock.to_text(now)
    tx.many(
        _FADE,
        [
            (
                weights.decayed(
                    row["weight"], bounds, holds_constraint=bool(row["holds_constraint"])
                ),
                at,
                row["id"],
                row["updated_at"],
            )
            for row in found
        ],
    )


def forgotten(tx: ReadTx) -> list[str]:
    """Return the attributes that hold though the memory that they were read from is forgotten or gone."""
    return [row[0] for row in tx.all(_FORGOTTEN)]


def retire(tx: WriteTx, attribute_ids: Sequence[str], *, now: datetime) -> int:
    """Supersede those of these attributes whose memory is forgotten or gone; return how many."""
    return tx.run(_SUPERSEDE, (clock.to_text(now), json.dumps(list(attribute_ids))))


def _reward(
    tx: WriteTx, uses: Mapping[str, Use], agent_id: str, bounds: Bounds, now: datetime
) -> int:
    steps = {memory_id: weights.steps(use) for memory_id, use in uses.items()}
    by_aspect: defaultdict[str, int] = defaultdict(int)
    known: dict[str, Row] = {}
    for row in tx.all(_ASPECTS, (json.dumps(list(uses)), agent_id)):
        known[row["id"]] = row
        by_aspect[row["id"]] += steps[row["source_memory_id"]]
    at = clock.to_text(now)
    changes = [
        (
            weights.moved(
                known[id_]["weight"], by, bounds, holds_constraint=known[id_]["holds_constraint"]
            ),
            at,
            id_,
        )
        for id_, by in by_aspect.items()
        if by < 0 or (by > 0 and known[id_]["is_shown"])
    ]
    tx.many(_WEIGH, changes)
    return len(changes)


def _is_turn(tx: WriteTx, agent_id: str, interval: int) -> bool:
    """Count a session that ended; say whether weights are to fade now."""
    key = f"feedback.sessions:{agent_id}"
    ended = runtime_settings.get_number(tx, key) + 1
    runtime_settings.put(tx, key, 0 if ended >= interval else ended)
    return ended >= interval
