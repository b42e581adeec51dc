"""Handle the end of a session or turn: store its transcript and queue its reading.

Another thread reads the transcript file and converts it. The caller waits for short commits, but never for a model
(HK-70).
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
from signet.domain.transcripts import log_files, models, stored
from signet.domain.transcripts.log_files import LogFile
from signet.domain.transcripts.models import ProjectSpan, Session
from signet.observe import logs
from signet.observe import record as events
from signet.observe.record import TelemetryKind
from signet.queue import BULK, NORMAL

log = logs.get("hooks")

#: A log without messages is reported from this length on.
SILENT_CHARS = 500
#: The reason of a session from before Signet was installed, delivered by another machine's backfill.
LONG_AGO = "backfill"
#: The reasons of a cleared session. After `clear` nothing is stored; `new_session` stores it, but gives the next
#: session no checkpoint.
CLEARED, NEXT = "clear", "new_session"
#: Shorter sessions are stored but not read (PIP-36).
LEAST_CHARS = 40
#: A new part shorter than this waits for the next.
LEAST_NEW_BYTES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A harness's report of the end of a session or turn; the log is a file, or `inline`."""

    harness: str
    reason: str | None = None
    log: LogFile | None = None
    inline: str | None = None
    #: How far this clock is ahead of the one that dated `inline`.
    offset: timedelta = timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The outcome: the stored session, None if nothing was stored, and the job that reads it."""

    session: Session | None = None
    queued: Queued | None = None
    is_bypassed: bool = False
    #: Only a turn has ended; the session continues.
    is_turn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndRules:
    """The settings that the end of a session depends on."""

    #: Whether sessions are summarised at all; in shadow mode the job waits (JOB-20).
    summarises: bool = True
    attempts: int = 3
    #: The job's priority: old sessions wait for new ones.
    priority: int = NORMAL
    #: Whether a model may read the session, if one is configured.
    by_model: bool = True

    @classmethod
    def from_settings(cls, settings: Settings) -> "EndRules":
        pipeline = settings.pipeline
        return cls(summarises=pipeline.enabled, attempts=pipeline.worker.max_retries)


async def end(call: SessionCall, report: Report, services: Services) -> Ended:
    """End a session. Release it first, so that it is free even if storing its transcript fails (HK-13).

    For the end of a turn, only store its messages (see `transcripts/merge.py`). Store nothing of a cleared session.
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
    if call.bypasses(before, now):
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
    """Store the messages up to now and queue the new part, if it is long enough."""
    now = clock.now()
    before = await services.db.awrite(lifecycle.turned, call, now=now)
    if call.bypasses(before, now):
        return Ended(is_bypassed=True, is_turn=True)
    session = replace(await _session(call, report, services), is_turn=True)
    await services.flush()
    queued = await services.db.awrite(turn, session, services.settings, now=now)
    return Ended(session=session, queued=queued, is_turn=True)


async def _handed_over(call: SessionCall, report: Report, services: Services) -> Ended:
    """Store an old session and queue its reading with low priority; leave a running one alone."""
    now = clock.now()
    runs = await services.db.aread(is_running, call.agent_id, call.key or "", now=now)
    if runs or call.is_private:
        return Ended()
    session = await _session(call, report, services)
    rules = replace(EndRules.from_settings(services.settings), priority=BULK)
    queued = await services.db.awrite(finish, session, services.settings, rules=rules, now=now)
    return Ended(session=session, queued=queued)


async def _session(call: SessionCall, report: Report, services: Services) -> Session:
    masks = services.settings.memory.mask_secrets
    found = await asyncio.to_thread(
        log_files.read, report.log, report.inline, masks=masks, offset=report.offset
    )
    held = await asyncio.to_thread(held_in, services.db, found.folders, call.project)
    if not found.text and len(report.inline or "") > SILENT_CHARS:
        log.warning("session.silent", harness=report.harness, chars=len(report.inline or ""))
    key = call.key or log_files.key_of(found.text)
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
    """Return the repositories in which a session of this machine worked; reads the disk.

    For a caller limited to a project or on another machine, the whole session belongs to its project.
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
    """Store an ended session and queue its reading, by `rules` or else by the settings.

    Also settles whether its injected memories helped.
    """
    if stored.is_forgotten(tx, session.agent_id, session.key):
        return None
    learns, frozen = settings.pipeline.feedback, settings.pipeline.mutations_frozen
    if learns.enabled and not frozen:
        uses = ratings.take(tx, session.agent_id, session.key, now=now)
        feedback.apply_session(tx, uses, agent_id=session.agent_id, settings=learns, now=now)
    queued = store(tx, session, rules=rules or EndRules.from_settings(settings), now=now)
    record.transcript_arrived(tx, session.agent_id, session.key, _steps(session), now=now)
    return queued


def turn(tx: WriteTx, session: Session, settings: Settings, *, now: datetime) -> Queued | None:
    """Store the messages of a running session and queue the new part."""
    if stored.is_forgotten(tx, session.agent_id, session.key):
        return None
    queued = store_turn(tx, session, rules=EndRules.from_settings(settings), now=now)
    record.transcript_arrived(tx, session.agent_id, session.key, _steps(session), now=now)
    return queued


def store(tx: WriteTx, session: Session, *, rules: EndRules, now: datetime) -> Queued | None:
    """Store the transcript and queue its reading; return None if it is not to be read.

    A session that ends twice has one job (HK-71). A longer stored transcript is kept and read instead.
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
    """Store the transcript and queue its new part; return None if that is too short or not to be read."""
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
    """Return sessions past the silence limit, longest first; excludes bypassed ones (HK-22)."""
    before = now - timedelta(minutes=settings.hooks.session_end.idle_minutes)
    asked = {"before": clock.to_text(before), "now": clock.to_text(now), "limit": SILENT_BATCH}
    return [states.state(row) for row in tx.rows(states.StateRow, states.SILENT, asked)]


def end_silent(tx: WriteTx, settings: Settings, *, now: datetime) -> Sequence[SessionState]:
    """End silent sessions, queue the reading of their messages, and return them."""
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
