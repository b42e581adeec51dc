"""One `backfill` job: read the newest session that waits, end it as its harness would have, and queue the next.

A session is read with no transaction open. What its end causes, that it is done, and the job for the next one are one
commit. While those that were read wait to be made findable, it waits: work that a person waits for comes first, and
what is stopped is stopped soon (HK-120).
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.backfill import look, start
from signet.domain.backfill.models import Home, Wanted
from signet.domain.backfill.places import PLACES
from signet.domain.backfill.sql import sessions as sql
from signet.domain.memory import forget
from signet.domain.projects import registry
from signet.domain.sessions import session_end
from signet.domain.sessions.calls import is_running
from signet.domain.transcripts import log_files, merge, readings, stored, transcript, unkept
from signet.domain.transcripts.log_files import LogFile
from signet.domain.transcripts.merge import Correction
from signet.domain.transcripts.models import Session
from signet.ids import DEFAULT_AGENT
from signet.observe import logs
from signet.queue import BULK
from signet.queue.job_context import JobContext

log = logs.get("pipeline")

#: So many jobs of sessions may wait before it does, and so long it then waits.
MOST_BEHIND, WAIT_MS = 8, 5_000
#: A session over which the worker has died so often is left out.
MOST_CRASHES = 2
#: The first messages of a session, by which a copy of it is known.
OPENING_CHARS = 400


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a session, or why nothing was."""

    session: Session | None = None
    state: str = "read"
    detail: str | None = None
    opening: str | None = None
    #: The stored transcript, and its correction where an earlier reader stored it wrongly.
    before: str = ""
    correction: Correction | None = None


def run(job: JobContext, settings: Callable[[], Settings]) -> None:
    """Read the newest session that waits, and complete the job. Raises LeaseLost, Cancelled."""
    if job.db.read(readings.is_stale):
        _ask_stored(job)
    row = job.db.read(ReadTx.row, sql.Row, sql.NEXT)
    behind = job.db.read(ReadTx.row, sql.BehindRow, sql.BEHIND) or sql.BehindRow(0, 0)
    if row is None:
        job.commit(lambda tx: {"skipped": "nothing_waits"})
        return
    if behind.indexing > MOST_BEHIND:
        job.commit(lambda tx: start.go_on(tx, delay_ms=WAIT_MS, now=clock.now()))
        return
    holds = settings()
    found = _read(job, row, masks=holds.memory.mask_secrets)
    rules = replace(session_end.Rules.of(holds), priority=BULK, by_model=bool(row.by_model))

    def keep(tx: WriteTx) -> dict[str, object]:
        now, state, detail = clock.now(), found.state, found.detail
        owner = (row.agent_id, row.session_key)
        if found.session is not None:
            before, fix = stored.length(tx, *owner), found.correction
            if fix is not None:
                if not stored.correct(tx, *owner, found.before, fix.text, now=now):
                    start.go_on(tx, now=now)  # it has grown meanwhile: it waits and is read again
                    return {"session": row.session_key, "state": "changed"}
                forget.retract(tx, *owner, fix.dropped, fix.text, now=now)
            session_end.finish(tx, found.session, holds, rules=rules, now=now)
            is_news = stored.length(tx, *owner) > before or fix is not None
            state = state if is_news else "known"
        done = (state, detail, found.opening, clock.to_text(now))
        tx.run(sql.DONE, (*done, *owner))
        start.go_on(tx, now=now)
        return {"session": row.session_key, "state": state}

    job.commit(keep)


def _read(job: JobContext, row: sql.Row, *, masks: bool) -> _Read:
    if job.db.read(unkept.holds, row.agent_id, row.session_key):
        return _Read(state="known", detail="not to be kept")
    if job.db.read(is_running, row.agent_id, row.session_key, now=clock.now()):
        return _Read(state="known", detail="running: its end will hand it over")
    if job.lease.crashes >= MOST_CRASHES:
        return _Read(state="failed", detail="the worker died while it was read")
    try:
        inline = PLACES[row.harness].read(row.path, row.session_key)
        log_file = LogFile(row.path) if inline is None else None
        found = log_files.read(log_file, inline, masks=masks)
        before = job.db.read(stored.text, row.agent_id, row.session_key)
        refused = log_files.refused(log_file, masks=masks) if log_file and before else set()
    except Exception as error:  # whatever a stranger's file does, the sessions after it are read
        log.info("backfill.unreadable", harness=row.harness, reason=type(error).__name__)
        return _Read(state="failed", detail=str(error) or type(error).__name__)
    text = _timed(found.text, row.changed_at)
    if not text:
        return _Read(state="known", detail="nobody speaks in it")
    opening = hashlib.sha256(text[:OPENING_CHARS].encode()).hexdigest()[:16]
    if job.db.read(_copy, row, opening, text):
        return _Read(state="known", detail="part of another session", opening=opening)
    project = registry.find(job.db, row.project).project if row.project else None
    session = Session(
        agent_id=row.agent_id,
        key=row.session_key,
        harness=row.harness,
        project=project,
        text=text,
        reading=found,
        parts=tuple(session_end.held_in(job.db, found.folders, project)),
    )
    correction = merge.corrected(before, text, refused) if before else None
    return _Read(session, opening=opening, before=before, correction=correction)


def _ask_stored(job: JobContext) -> None:
    """Queue the sessions that an earlier version of how logs are read has stored, and that are still on the disk."""
    found = look.find(Home(path=Path.home()), Wanted(agent_id=DEFAULT_AGENT))
    has_others = job.db.read(agents.has_others)
    seen = job.db.read(look.compared, found, DEFAULT_AGENT, has_others=has_others)
    old = [one for one in seen if one.is_stored and one.is_new]

    def ask(tx: WriteTx) -> None:
        start.start(tx, old, {}, by_model=True, is_frozen=False, now=clock.now())
        readings.set_current(tx)

    job.progress(ask)


def _timed(text: str, changed_at: str) -> str:
    """Return a transcript whose messages have times, that of the log where they have none."""
    if not text or transcript.spoken(text) is not None:
        return text
    at = clock.parse(changed_at).strftime("%Y-%m-%dT%H:%M:%SZ")
    return transcript.written(replace(turn, at=turn.at or at) for turn in transcript.parse(text))


def _copy(tx: ReadTx, row: sql.Row, opening: str, text: str) -> bool:
    """Return whether another session says all of this: a harness that resumed it has copied it."""
    twins = tx.column(sql.TWINS, (row.agent_id, row.harness, opening, row.session_key))
    return any(text in stored.text(tx, row.agent_id, key) for key in twins)
