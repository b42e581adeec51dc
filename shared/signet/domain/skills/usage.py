"""How skills are used, and how those that are not fade (SK-40)."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from signet import clock
from signet.db import WriteTx
from signet.db.dialect import as_list
from signet.domain.skills import sql
from signet.domain.skills.models import Node

DAY = timedelta(days=1)


def use(tx: WriteTx, entity_ids: Sequence[str], now: datetime) -> None:
    """Count that skills were placed into an agent's context, once each; unknown ones are passed over."""
    tx.run(sql.USE, (clock.to_text(now), as_list(entity_ids)))


def importance(node: Node, now: datetime, *, least: float) -> float:
    """Return what a skill matters now: less for each day since it was last used, never below `least`."""
    since = clock.parsed(node.last_used_at) or clock.parsed(node.installed_at) or now
    days = max((now - since) / DAY, 0.0)
    faded: float = node.importance * node.decay_rate**days
    return max(least, faded)
