"""The few sessions that are given no memories unasked, so that the others can be compared with them.

Which ones follows from their keys, so that every prompt of a session is treated alike. Rules stay, and so does what
the agent itself asks for.
"""

import hashlib
from dataclasses import replace
from datetime import timedelta

from signet import clock
from signet.db.driver import sqlite
from signet.domain.injections.models import Item, Reason
from signet.domain.learning import worth
from signet.domain.sessions.calls import Call
from signet.domain.sessions.services import Services

#: Sessions with memories that an agent must have had before one is held out, and days since the first of them: who has
#: just begun, or read in what there was, is given everything.
LEAST_SESSIONS, LEAST_DAYS = 20, 7


def is_among(key: str, share: float) -> bool:
    """Return whether a session is one of this share. Pure."""
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) < share * 2**32


def left_out(item: Item) -> Item:
    """Return what the record says of an item that is not given because of this. Pure."""
    return replace(item, is_given=False, chars=0, reason=Reason.HELD_OUT)


async def holds(call: Call, services: Services) -> bool:
    """Return whether a session is given no memories."""
    share = services.settings.pipeline.predictor.held_out
    if call.key is None or not is_among(call.key, share):
        return False
    try:
        sessions, first = await services.db.aread(worth.experience, call.agent_id)
    # A session is given its memories whatever becomes of the comparison.
    except sqlite.DatabaseError:
        return False
    week_ago = clock.to_text(clock.now() - timedelta(days=LEAST_DAYS))
    return sessions >= LEAST_SESSIONS and first is not None and first <= week_ago
