"""A person's word on an entity: count it more, or leave it out of walks.

One row per entity; `entities.pinned` and `pinned_at` mirror a pin. What the weight does is decided in recall.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet import clock, ids
from signet.db import ReadTx, Row, WriteTx
from signet.db.visibility import Reader
from signet.domain.graph import browse
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.sql.visible import Visible as Sight

_PUT = """
INSERT INTO entity_pinning (id, agent_id, entity_id, pin_type, weight_override, reason, created_at)
SELECT ?, agent_id, id, ?, ?, ?, ? FROM entities WHERE id = ? AND agent_id = ?
ON CONFLICT (agent_id, entity_id) DO UPDATE SET pin_type = excluded.pin_type,
    weight_override = excluded.weight_override, reason = excluded.reason, created_at = excluded.created_at
"""
_TAKE = "DELETE FROM entity_pinning WHERE entity_id = ? AND agent_id = ?"
_MIRROR = "UPDATE entities SET pinned = ?, pinned_at = ? WHERE id = ? AND agent_id = ?"
_PINNED = """
SELECT e.id, e.name, coalesce(e.pinned_at, '') AS pinnedAt FROM entities e
WHERE e.agent_id = :agent AND e.pinned = 1 AND {entity} ORDER BY pinned_at DESC, name, id
"""
_SUPPRESSED = """
SELECT e.id, e.name, p.created_at AS pinnedAt FROM entity_pinning p JOIN entities e ON e.id = p.entity_id
WHERE p.agent_id = :agent AND p.pin_type = 'suppress' AND {entity} ORDER BY p.created_at DESC, e.name, e.id
"""


class PinType(StrEnum):
    """What is asked for."""

    PIN = "pin"
    SUPPRESS = "suppress"


WEIGHTS = {PinType.PIN: 1.25, PinType.SUPPRESS: 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What a person wants of an entity; without a weight it is the usual one of its type."""

    type: PinType = PinType.PIN
    weight: float | None = None
    reason: str | None = None


def put(tx: WriteTx, entity_id: str, pin: Pin, *, reader: Reader, now: datetime) -> float:
    """Pin or suppress an entity of the agent, instead of what was said before, and return the weight.

    Raises UnknownEntity.
    """
    browse.check_known(tx, entity_id, reader)
    at = clock.to_text(now)
    weight = WEIGHTS[pin.type] if pin.weight is None else pin.weight
    row = (ids.new_ordered_id(), pin.type, weight, pin.reason, at, entity_id, reader.agent_id)
    tx.run(_PUT, row)
    is_pinned = pin.type is PinType.PIN
    tx.run(_MIRROR, (is_pinned, at if is_pinned else None, entity_id, reader.agent_id))
    return weight


def clear(tx: WriteTx, entity_id: str, *, agent_id: str) -> None:
    """Take back whatever was said of an entity; raises UnknownEntity."""
    if not tx.run(_MIRROR, (False, None, entity_id, agent_id)):
        raise UnknownEntity(entityId=entity_id)
    tx.run(_TAKE, (entity_id, agent_id))


def listed(tx: ReadTx, type: PinType, *, reader: Reader) -> list[Row]:
    """Return the pinned or suppressed entities of the reader's agent, newest first."""
    sight = Sight.of(reader)
    sql = _PINNED if type is PinType.PIN else _SUPPRESSED
    return tx.all(sql.format(entity=sight.entity()), {"agent": reader.agent_id, **sight.params})
