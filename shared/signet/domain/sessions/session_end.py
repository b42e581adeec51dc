"""What becomes of a session that has ended, or a turn of it: its transcript is stored, and its reading is queued.

Everything is one short transaction; nobody waits for a model (HK-70).
"""

from dataclasses import dataclass
from datetime import datetime

from signet.config import Settings
from signet.db import WriteTx
from signet.domain.graph import feedback
from signet.domain.injections import record, usefulness
from signet.domain.summaries import requests
from signet.domain.summaries.models import Queued
from signet.domain.transcripts import stored
from signet.domain.transcripts.models import Session

#: Shorter sessions are kept and not read (PIP-36).
LEAST_CHARS = 500
#: A part with less than this waits for the next.
LEAST_NEW_BYTES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The settings that the end of a session depends on."""

    #: Whether sessions are summarised at all; in shadow mode the job waits (JOB-20).
    summarises: bool = True
    attempts: int = 3

    @classmethod
    def of(cls, settings: Settings) -> "Rules":
        """Return what the settings say."""
        pipeline = settings.pipeline
        return cls(summarises=pipeline.enabled, attempts=pipeline.worker.max_retries)


def finish(tx: WriteTx, session: Session, settings: Settings, *, now: datetime) -> Queued | None:
    """Store an ended session and queue its reading; what it was given has served now, or not."""
    learns, frozen = settings.pipeline.feedback, settings.pipeline.mutations_frozen
    if learns.enabled and not frozen:
        uses = usefulness.take(tx, session.agent_id, session.key, now=now)
        feedback.apply_session(tx, uses, agent_id=session.agent_id, settings=learns, now=now)
    queued = store(tx, session, rules=Rules.of(settings), now=now)
    record.transcript_arrived(tx, session.agent_id, session.key, session.steps, now=now)
    return queued


def turn(tx: WriteTx, session: Session, settings: Settings, *, now: datetime) -> Queued | None:
    """Store what was said in a session that goes on, and queue the reading of what is new."""
    queued = store_turn(tx, session, rules=Rules.of(settings), now=now)
    record.transcript_arrived(tx, session.agent_id, session.key, session.steps, now=now)
    return queued


def store(tx: WriteTx, session: Session, *, rules: Rules, now: datetime) -> Queued | None:
    """Store the transcript and queue its reading; None when it is not to be read.

    The same session ended twice has one job (HK-71); a longer stored transcript stays, and is what is read.
    """
    stored.keep(tx, session, now=now)
    if stored.length(tx, session.agent_id, session.key) < LEAST_CHARS or not rules.summarises:
        return None
    return requests.of_session(tx, session, attempts=rules.attempts, now=now)


def store_turn(tx: WriteTx, session: Session, *, rules: Rules, now: datetime) -> Queued | None:
    """Store the transcript and queue what is new in it; None when that is too little, or nothing is to be read."""
    stored.keep(tx, session, now=now)
    if not rules.summarises:
        return None
    part = stored.take_new(tx, session.agent_id, session.key, least_bytes=LEAST_NEW_BYTES)
    return requests.of_part(tx, session, part, attempts=rules.attempts, now=now) if part else None
