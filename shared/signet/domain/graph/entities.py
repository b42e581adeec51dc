"""What other nouns do to entities themselves."""

from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.graph.sql import entities


def delete(tx: WriteTx, entity_ids: Sequence[str]) -> None:
    """Delete entities with their mentions, relations, dependencies, aspects, attributes and pins."""
    entities.delete(tx, entity_ids)


def set_type(tx: WriteTx, entity_id: str, type: str, *, now: datetime) -> None:
    """Give an entity a type where it has none yet (KG-5)."""
    tx.run(entities.FIRST_TYPE, (type, clock.to_text(now), entity_id))
