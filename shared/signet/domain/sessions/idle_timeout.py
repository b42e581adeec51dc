"""Ends the sessions of which nothing has been heard for long: many harnesses never say that one is over.

What the prompts of such a session were given stays known, so that one that goes on is not given it again. It has ended
once its claim ends no later than it was last heard of; a call after that makes it run again.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx
from signet.domain.sessions import lifecycle, session_end
from signet.domain.sessions.models import State
from signet.domain.sessions.sql import states
from signet.domain.transcripts.models import Session

#: Sessions that end in one transaction.
BATCH = 20


def find(tx: ReadTx, settings: Settings, *, now: datetime) -> list[State]:
    """Return sessions that have been silent for too long, longest first; a bypassed one stays bypassed (HK-22)."""
    before = now - timedelta(minutes=settings.hooks.session_end.idle_minutes)
    asked = {"before": clock.to_text(before), "now": clock.to_text(now), "limit": BATCH}
    return [states.state(row) for row in tx.rows(states.StateRow, states.SILENT, asked)]


def end(tx: WriteTx, settings: Settings, *, now: datetime) -> Sequence[State]:
    """End them, queue the reading of what was handed over, and return them."""
    ended = find(tx, settings, now=now)
    for state in ended:
        lifecycle.silent(tx, state, settings, now=now)
        session = Session(
            agent_id=state.agent_id,
            key=state.key,
            harness=state.harness,
            project=state.project,
            text="",
        )
        session_end.finish(tx, session, settings, now=now)
    return ended
