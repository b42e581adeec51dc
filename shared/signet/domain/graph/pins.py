"""What a person asks for an entity: count it more, or leave it out of traversals.

What the weight does is decided in recall.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.graph import browse
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.sql import entities as sql
from signet.domain.graph.sql.visible import Visible
from signet.wire.knowledge import PinnedEntity


class PinType(StrEnum):
    """What is asked for."""

    PIN = "pin"
    SUPPRESS = "suppress"


WEIGHTS = {PinType.PIN: 1.25, PinType.SUPPRESS: 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What a person asks for an entity; without a weight it is the usual one of its type."""

    type: PinType = PinType.PIN
    weight: float | None = None
    reason: str | None = None


def put(tx: WriteTx, entity_id: str, pin: Pin, *, reader: Reader, now: datetime) -> float:
    """Pin or suppress an entity of the agent, in place of what was asked before, and return the weight.

    Raises UnknownEntity.
    """
    browse.name(tx, entity_id, reader=reader)
    agent_id, at = reader.agent_id, clock.to_text(now)
    weight = WEIGHTS[pin.type] if pin.weight is None else pin.weight
    tx.run(sql.PUT, (ids.new_ordered_id(), pin.type, weight, pin.reason, at, entity_id, agent_id))
    pinned_at = at if pin.type is PinType.PIN else None
    tx.run(sql.MIRROR, (pinned_at is not None, pinned_at, entity_id, agent_id))
    return weight


def clear(tx: WriteTx, entity_id: str, *, agent_id: str) -> None:
    """Take back a pin or a suppression; raises UnknownEntity."""
    if not tx.run(sql.MIRROR, (False, None, entity_id, agent_id)):
        raise UnknownEntity(entityId=entity_id)
    tx.run(sql.DELETE, (entity_id, agent_id))


def listed(tx: ReadTx, type: PinType, *, reader: Reader) -> list[PinnedEntity]:
    """Return the pinned or suppressed entities of the reader's agent, newest first."""
    statement = sql.SUPPRESSED if type is PinType.SUPPRESS else sql.PINNED
    return Visible(tx, reader).records(PinnedEntity, statement)
