"""What becomes of a session that has ended, or a turn of it: its transcript is stored, and its reading is queued.

The transcript is read from its file and brought into its stored form on another thread; who reports the end waits for
the commits, each of them short, and for no model (HK-70).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from signet import clock
from signet.config import Settings
from signet.db import Database, ReadTx, WriteTx
from signet.domain.auth import caller
from signet.domain.graph import feedback
from signet.domain.injections import ratings, record
from signet.domain.projects import registry
from signet.domain.sessions import lifecycle
from signet.domain.sessions.calls import Services, SessionCall, is_running
from signet.domain.sessions.models import SessionState
from signet.domain.sessions.sql import states
from signet.domain.summaries import requests
from signet.domain.summaries.models import Queued
from signet.domain.transcripts import log_files, models, stored, transcript
from signet.domain.transcripts.log_files import LogFile
from signet.domain.transcripts.models import ProjectSpan, Session
from signet.observe import logs
from signet.observe import record as events
from signet.observe.record import TelemetryKind
from signet.queue import BULK, NORMAL

log = logs.get("hooks")

#: From this length on a log in which nobody speaks is worth a line.
SILENT_CHARS = 500
#: The reason of a session that ended before Signet came: another machine's backfill hands it over.
LONG_AGO = "backfill"
#: The reason of a session of which nothing is kept, and of one that was cleared to begin the next: it is kept, but the
#: next is not told where it stood.
CLEARED, NEXT = "clear", "new_session"
#: Shorter sessions are kept and not read (PIP-36).
LEAST_CHARS = 500
#: A part with less than this waits for the next.
LEAST_NEW_BYTES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a harness reports at the end of a session or turn; the log is a file, or `inline`."""

    harness: str
    reason: str | None = None
    log: LogFile | None = None
    inline: str | None = None
    #: How far this clock is ahead of the one by which `inline` was written.
    offset: timedelta = timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What became of it: the session as it is stored, None for nothing; and the job that reads it."""

    session: Session | None = None
    queued: Queued | None = None
    is_bypassed: bool = False
    #: Only a turn has ended: the session goes on.
    is_turn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRules:
    """The settings that the end of a session depends on."""

    #: Whether sessions are summarised at all; in shadow mode the job waits (JOB-20).
    summarises: bool = True
    attempts: int = 3
    #: How soon that is done: what happened long ago can wait for what happens now.
    priority: int = NORMAL
    #: Whether a model may read the session, where there is one.
    by_model: bool = True

    @classmethod
    def of(cls, settings: Settings) -> "EndRules":
        """Return what the settings say."""
        pipeline = settings.pipeline
        return cls(summarises=pipeline.enabled, attempts=pipeline.worker.max_retries)


async def end(call: SessionCall, report: Report, services: Services) -> Ended:
    """End a session, first of all letting go of it, so that it is free whatever becomes of its transcript (HK-13).

    A call that reports the end of a turn only hands over what was said (see `transcripts/merge.py`). Of a session that
    is cleared nothing is kept.
    """
    if report.reason == LONG_AGO:
        return await _handed_over(call, report, services)
    if call.key and stored.is_turn_end(call.harness, call.runtime_path, report.reason):
        return await end_turn(call, report, services)
    is_kept, now = report.reason != CLEARED, clock.now()
    is_cleared = report.reason in (CLEARED, NEXT)
    before = await services.db.awrite(
        lifecycle.ended, call, services.settings, is_cleared=is_cleared, is_kept=is_kept, now=now
    )
    if before is not None and before.bypasses(now):
        return Ended(is_bypassed=True)
    if not is_kept:
        return Ended()
    call = replace(call, project=call.project or (before.project if before else None))
    session = await _session(call, report, services)
    await services.flush()
    queued = await services.db.awrite(finish, session, services.settings, now=now)
    events.event(
        TelemetryKind.SESSION_END,
        harness=report.harness,
        chars=len(session.text),
        queued=queued is not None and queued.is_open,
    )
    return Ended(session=session, queued=queued)


async def end_turn(call: SessionCall, report: Report, services: Services) -> Ended:
    """Store what was said so far and queue what is new in it, if that is enough."""
    now = clock.now()
    before = await services.db.awrite(lifecycle.turned, call, now=now)
    if before is not None and before.bypasses(now):
        return Ended(is_bypassed=True, is_turn=True)
    session = replace(await _session(call, report, services), is_turn=True)
    await services.flush()
    queued = await services.db.awrite(turn, session, services.settings, now=now)
    return Ended(session=session, queued=queued, is_turn=True)


async def _handed_over(call: SessionCall, report: Report, services: Services) -> Ended:
    """Store a session of long ago, and queue its reading behind what somebody waits for; one that runs is let be."""
    now = clock.now()
    runs = await services.db.aread(is_running, call.agent_id, call.key or "", now=now)
    if runs:
        return Ended()
    session = await _session(call, report, services)
    rules = replace(EndRules.of(services.settings), priority=BULK)
    queued = await services.db.awrite(finish, session, services.settings, rules=rules, now=now)
    return Ended(session=session, queued=queued)


async def _session(call: SessionCall, report: Report, services: Services) -> Session:
    """Return what was handed over."""
    masks = services.settings.memory.mask_secrets
    found = await asyncio.to_thread(log_files.read, report.log, report.inline, masks=masks)
    held = await asyncio.to_thread(held_in, services.db, found.folders, call.project)
    if not found.text and len(report.inline or "") > SILENT_CHARS:
        log.warning("session.silent", harness=report.harness, chars=len(report.inline or ""))
    key = call.key or log_files.key_of(found.text)
    if report.inline:
        now = clock.now()
        text = await asyncio.to_thread(transcript.retimed, found.text, report.offset, now)
        found = replace(found, text=text)
    return Session(
        agent_id=call.agent_id,
        key=key,
        harness=report.harness,
        project=call.project,
        text=found.text,
        reading=found,
        parts=tuple(held),
    )


def held_in(
    db: Database, folders: Sequence[tuple[str, str]], project: str | None
) -> Sequence[ProjectSpan]:
    """Return the repositories of a session of this machine; reads the disk.

    Who is limited to a project, or is on another machine, has all of a session in its project.
    """
    asked = caller.current()
    if not asked.is_local_user or asked.scope.project is not None:
        return ()
    return models.of_folders(folders, project, partial(registry.find, db))


def finish(
    tx: WriteTx,
    session: Session,
    settings: Settings,
    *,
    rules: EndRules | None = None,
    now: datetime,
) -> Queued | None:
    """Store an ended session and queue its reading, as the settings say unless there are rules of its own.

    What it was given has served now, or not.
    """
    if stored.is_forgotten(tx, session.agent_id, session.key):
        return None
    learns, frozen = settings.pipeline.feedback, settings.pipeline.mutations_frozen
    if learns.enabled and not frozen:
        uses = ratings.take(tx, session.agent_id, session.key, now=now)
        feedback.apply_session(tx, uses, agent_id=session.agent_id, settings=learns, now=now)
    queued = store(tx, session, rules=rules or EndRules.of(settings), now=now)
    record.transcript_arrived(tx, session.agent_id, session.key, _steps(session), now=now)
    return queued


def turn(tx: WriteTx, session: Session, settings: Settings, *, now: datetime) -> Queued | None:
    """Store what was said in a session that goes on, and queue the reading of what is new."""
    if stored.is_forgotten(tx, session.agent_id, session.key):
        return None
    queued = store_turn(tx, session, rules=EndRules.of(settings), now=now)
    record.transcript_arrived(tx, session.agent_id, session.key, _steps(session), now=now)
    return queued


def store(tx: WriteTx, session: Session, *, rules: EndRules, now: datetime) -> Queued | None:
    """Store the transcript and queue its reading; None when it is not to be read.

    The same session ended twice has one job (HK-71); a longer stored transcript stays, and is what is read.
    """
    stored.keep(tx, session, priority=rules.priority, now=now)
    if stored.length(tx, session.agent_id, session.key) < LEAST_CHARS or not rules.summarises:
        return None
    return requests.of_session(
        tx,
        session,
        attempts=rules.attempts,
        priority=rules.priority,
        by_model=rules.by_model,
        now=now,
    )


def store_turn(tx: WriteTx, session: Session, *, rules: EndRules, now: datetime) -> Queued | None:
    """Store the transcript and queue what is new in it; None when that is too little, or nothing is to be read."""
    stored.keep(tx, session, now=now)
    if not rules.summarises:
        return None
    part = stored.take_new(tx, session.agent_id, session.key, least_bytes=LEAST_NEW_BYTES)
    return requests.of_part(tx, session, part, attempts=rules.attempts, now=now) if part else None


def _steps(session: Session) -> str:
    return session.reading.steps if session.reading else ""


#: Sessions that end in one transaction.
SILENT_BATCH = 20


def silent_sessions(tx: ReadTx, settings: Settings, *, now: datetime) -> list[SessionState]:
    """Return sessions that have been silent for too long, longest first; a bypassed one stays bypassed (HK-22)."""
    before = now - timedelta(minutes=settings.hooks.session_end.idle_minutes)
    asked = {"before": clock.to_text(before), "now": clock.to_text(now), "limit": SILENT_BATCH}
    return [states.state(row) for row in tx.rows(states.StateRow, states.SILENT, asked)]


def end_silent(tx: WriteTx, settings: Settings, *, now: datetime) -> Sequence[SessionState]:
    """End them, queue the reading of what was handed over, and return them."""
    ended = silent_sessions(tx, settings, now=now)
    for state in ended:
        lifecycle.silent(tx, state, settings, now=now)
        session = Session(
            agent_id=state.agent_id,
            key=state.key,
            harness=state.harness,
            project=state.project,
            text="",
        )
        finish(tx, session, settings, now=now)
    return ended
