"""What becomes of a session once it has ended, whoever says so."""

from datetime import datetime

from signet.config import Settings
from signet.db import WriteTx
from signet.domain.graph import feedback
from signet.domain.injections import record, usefulness
from signet.domain.transcripts import end
from signet.domain.transcripts.models import Queued, Rules, Session


def finish(tx: WriteTx, session: Session, settings: Settings, *, now: datetime) -> Queued | None:
    """Keep the session and queue its reading; what was brought to it has served now, or not."""
    learns, frozen = settings.pipeline.feedback, settings.pipeline.mutations_frozen
    if learns.enabled and not frozen:
        uses = usefulness.take(tx, session.agent_id, session.key, now=now)
        feedback.apply_session(tx, uses, agent_id=session.agent_id, settings=learns, now=now)
    queued = end.end(tx, session, rules=Rules.of(settings), now=now)
    record.transcript_arrived(tx, session.agent_id, session.key, session.steps, now=now)
    return queued


def turn(tx: WriteTx, session: Session, settings: Settings, *, now: datetime) -> Queued | None:
    """Keep what was said in a session that goes on, and queue the reading of what is new."""
    queued = end.checkpoint(tx, session, rules=Rules.of(settings), now=now)
    record.transcript_arrived(tx, session.agent_id, session.key, session.steps, now=now)
    return queued
