"""Several memories that say the same become one: one keeps the tags and links of all, the others are forgotten."""

import json
from collections.abc import Sequence
from datetime import datetime

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import link
from signet.domain.memory import forget, history
from signet.domain.memory.models import Actor, Event
from signet.domain.memory.sql import marks, sources, superseding


def merge(
    tx: WriteTx,
    keeper_id: str,
    loser_ids: Sequence[str],
    *,
    tags: Sequence[str],
    actor: Actor,
    now: datetime,
) -> None:
    """Let one memory stand for others, with these tags; what the others had replaced stays replaced."""
    stored = json.dumps(list(tags), ensure_ascii=False) if tags else None
    tx.run(marks.SET_TAGS, (stored, clock.to_text(now), actor.name, keeper_id))
    superseding.repoint(tx, loser_ids, keeper_id)
    sources.move(tx, loser_ids, keeper_id)
    link.hand_over(tx, loser_ids, keeper_id, now=now)
    merged = {"mergedFrom": list(loser_ids), "mergedTags": list(tags)}
    history.record(tx, keeper_id, Event.MERGED, actor=actor, at=now, metadata=merged)
    for loser in loser_ids:
        reason = f"dedup: duplicate of {keeper_id}"
        forget.forget(tx, loser, actor=actor, reason=reason, now=now)
