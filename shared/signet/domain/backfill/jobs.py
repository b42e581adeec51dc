"""Start, run and stop the import of past sessions, and report its progress."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from signet import clock
from signet.config import Settings
from signet.db import ReadTx, WriteTx
from signet.domain.agents import registry as agents
from signet.domain.backfill import look, sql
from signet.domain.backfill.look import Seen
from signet.domain.backfill.models import UserHome, WantedSessions
from signet.domain.backfill.places import PLACES
from signet.domain.episodes import commits
from signet.domain.memory import forget
from signet.domain.projects import registry
from signet.domain.sessions import session_end
from signet.domain.sessions.calls import is_running
from signet.domain.transcripts import log_files, readings, stored, transcript
from signet.domain.transcripts.log_files import LogFile
from signet.domain.transcripts.models import Session
from signet.domain.transcripts.stored import CorrectedTranscript
from signet.errors import Frozen
from signet.ids import DEFAULT_AGENT
from signet.observe import logs
from signet.queue import BULK, NewJob, enqueue
from signet.queue.job_context import JobContext
from signet.wire import backfill as wire

KIND = "backfill"
#: There is one at a time.
_ALL = "all"


def start(
    tx: WriteTx,
    seen: Sequence[Seen],
    repositories: Mapping[tuple[str, str], str],
    *,
    by_model: bool,
    is_frozen: bool,
    now: datetime,
) -> int:
    """Queue the reading of sessions, and of their projects' commits; return the number of sessions. Raises Frozen."""
    if is_frozen:
        raise Frozen
    new = [one for one in seen if one.is_new]
    run = tx.value(sql.RUN) or clock.to_text(now)
    tx.many(sql.PUT, [_session_row(one, by_model, run) for one in new])
    for (agent_id, project), root in repositories.items():
        commits.ask(tx, agent_id, project, root)
    go_on(tx, now=now)
    return len(new)


def go_on(tx: WriteTx, *, delay_ms: int = 0, now: datetime) -> None:
    """Queue the newest waiting session, unless one is being read."""
    if tx.row(sql.BackfillRow, sql.NEXT) is not None:
        job = NewJob(kind=KIND, dedupe_key=_ALL, priority=BULK, delay_ms=delay_ms)
        enqueue(tx, job, now=now)


def read_again(tx: WriteTx, *, now: datetime) -> None:
    """Queue reading sessions again that an earlier version read."""
    enqueue(tx, NewJob(kind=KIND, dedupe_key=_ALL, priority=BULK), now=now)


def is_cut_off(tx: ReadTx) -> bool:
    """Return whether sessions wait whose job has died."""
    return tx.row(sql.BackfillRow, sql.NEXT) is not None and not tx.value(
        sql.IS_OPEN, (f"{KIND}:{_ALL}",)
    )


def stop_run(tx: WriteTx) -> int:
    """Drop the waiting sessions and return their number. Sessions already read stay."""
    return tx.run(sql.STOP)


def _session_row(one: Seen, by_model: bool, run: str) -> tuple[object, ...]:
    found = one.found
    return (
        one.agent_id,
        found.key,
        found.harness,
        found.path,
        found.project,
        found.bytes,
        clock.to_text(found.changed_at),
        by_model,
        run,
    )


log = logs.get("pipeline")

#: Waiting jobs of sessions at which it pauses, and the length of the pause.
MOST_BEHIND, WAIT_MS = 8, 5_000
#: A session over which the worker has died so often is left out.
MOST_CRASHES = 2
#: The first messages of a session, by which a copy is recognised.
OPENING_CHARS = 400


@dataclass(frozen=True, slots=True)
class _ReadSession:
    """The content of a session, or the reason for having none."""

    session: Session | None = None
    state: str = "read"
    detail: str | None = None
    opening: str | None = None
    #: The stored transcript, and its correction where an earlier reader stored it wrongly.
    before: str = ""
    correction: CorrectedTranscript | None = None


def run_job(job: JobContext, settings: Callable[[], Settings]) -> None:
    """Read the newest waiting session, and complete the job. Raises LeaseLost, Cancelled."""
    if job.db.read(readings.is_stale):
        _ask_stored(job)
    row = job.db.read(ReadTx.row, sql.BackfillRow, sql.NEXT)
    behind = job.db.read(ReadTx.row, sql.BehindRow, sql.BEHIND) or sql.BehindRow(0, 0)
    if row is None:
        job.commit(lambda tx: {"skipped": "nothing_waits"})
        return
    if behind.indexing > MOST_BEHIND:
        job.commit(lambda tx: go_on(tx, delay_ms=WAIT_MS, now=clock.now()))
        return
    holds = settings()
    found = _read(job, row, masks=holds.memory.mask_secrets)
    rules = replace(
        session_end.EndRules.from_settings(holds), priority=BULK, by_model=bool(row.by_model)
    )

    def keep(tx: WriteTx) -> dict[str, object]:
        now, state, detail = clock.now(), found.state, found.detail
        owner = (row.agent_id, row.session_key)
        if found.session is not None:
            before, fix = stored.length(tx, *owner), found.correction
            if fix is not None:
                if not stored.correct(tx, *owner, found.before, fix.text, now=now):
                    go_on(tx, now=now)  # it has grown meanwhile: it waits and is read again
                    return {"session": row.session_key, "state": "changed"}
                forget.retract(tx, *owner, fix.dropped, fix.text, now=now)
            session_end.finish(tx, found.session, holds, rules=rules, now=now)
            is_news = stored.length(tx, *owner) > before or fix is not None
            state = state if is_news else "known"
        done = (state, detail, found.opening, clock.to_text(now))
        tx.run(sql.DONE, (*done, *owner))
        go_on(tx, now=now)
        return {"session": row.session_key, "state": state}

    job.commit(keep)


def _read(job: JobContext, row: sql.BackfillRow, *, masks: bool) -> _ReadSession:
    if job.db.read(readings.is_unkept, row.agent_id, row.session_key):
        return _ReadSession(state="known", detail="not to be kept")
    if job.db.read(is_running, row.agent_id, row.session_key, now=clock.now()):
        return _ReadSession(state="known", detail="running: its end will hand it over")
    if job.lease.crashes >= MOST_CRASHES:
        return _ReadSession(state="failed", detail="the worker died while it was read")
    try:
        inline = PLACES[row.harness].read(row.path, row.session_key)
        log_file = LogFile(row.path) if inline is None else None
        found = log_files.read(log_file, inline, masks=masks)
        before = job.db.read(stored.text, row.agent_id, row.session_key)
        refused = log_files.refused(log_file, masks=masks) if log_file and before else set()
    except Exception as error:  # whatever a stranger's file does, the sessions after it are read
        log.info("backfill.unreadable", harness=row.harness, reason=type(error).__name__)
        return _ReadSession(state="failed", detail=str(error) or type(error).__name__)
    text = _timed(found.text, row.changed_at)
    if not text:
        return _ReadSession(state="known", detail="it has no messages")
    opening = hashlib.sha256(text[:OPENING_CHARS].encode()).hexdigest()[:16]
    if job.db.read(_copy, row, opening, text):
        return _ReadSession(state="known", detail="part of another session", opening=opening)
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
    correction = stored.corrected(before, text, refused) if before else None
    return _ReadSession(session, opening=opening, before=before, correction=correction)


def _ask_stored(job: JobContext) -> None:
    """Queue stored sessions that an earlier reader read, if their logs still exist."""
    found = look.find(UserHome(path=Path.home()), WantedSessions(agent_id=DEFAULT_AGENT))
    has_others = job.db.read(agents.has_others)
    seen = job.db.read(look.compared, found, DEFAULT_AGENT, has_others=has_others)
    old = [one for one in seen if one.is_stored and one.is_new]

    def ask(tx: WriteTx) -> None:
        start(tx, old, {}, by_model=True, is_frozen=False, now=clock.now())
        readings.set_current(tx)

    job.progress(ask)


def _timed(text: str, changed_at: str) -> str:
    if not text or transcript.spoken(text) is not None:
        return text
    at = clock.parse(changed_at).strftime("%Y-%m-%dT%H:%M:%SZ")
    return transcript.written(replace(turn, at=turn.at or at) for turn in transcript.parse(text))


def _copy(tx: ReadTx, row: sql.BackfillRow, opening: str, text: str) -> bool:
    twins = tx.column(sql.TWINS, (row.agent_id, row.harness, opening, row.session_key))
    return any(text in stored.text(tx, row.agent_id, key) for key in twins)


#: Maximum number of unreadable sessions that are named.
FAILURES = 20
#: Number of sessions from which the remaining time is estimated from their duration.
LEAST_READ = 10


def status(tx: ReadTx, *, now: datetime) -> wire.Backfill:
    """Return the progress of the last run; all zero before the first."""
    run = tx.value(sql.LAST_RUN)
    totals = {row.state: row for row in tx.rows(sql.TotalRow, sql.TOTALS, (run,))}
    waiting = totals.get("waiting")
    done = [row for state, row in totals.items() if state != "waiting"]
    index, summaries = tx.row(sql.BehindRow, sql.BEHIND) or sql.BehindRow(0, 0)
    failed = tx.rows(sql.FailedRow, sql.FAILED, (run, FAILURES))
    return {
        "state": _state(tx, run, waiting, index + summaries),
        "startedAt": run,
        "sessions": sum(row.sessions for row in totals.values()),
        "waiting": waiting.sessions if waiting else 0,
        "read": _totals(totals, "read"),
        "known": _totals(totals, "known"),
        "failed": _totals(totals, "failed"),
        "indexing": index,
        "summarizing": summaries,
        "bytes": sum(row.bytes for row in totals.values()),
        "bytesRead": sum(row.bytes for row in done),
        "seconds": _left(waiting, done, index + summaries, now) if waiting else 0,
        "failures": [
            {"harness": one.harness, "path": one.path, "reason": one.detail or ""} for one in failed
        ],
    }


def _state(
    tx: ReadTx, run: str | None, waiting: sql.TotalRow | None, behind: int
) -> wire.BackfillState:
    if run is None:
        return "none"
    if waiting is not None:
        return "stopped" if is_cut_off(tx) else "running"
    return "finishing" if behind else "done"


def _totals(totals: dict[str, sql.TotalRow], state: str) -> int:
    return totals[state].sessions if state in totals else 0


def _left(waiting: sql.TotalRow, done: list[sql.TotalRow], behind: int, now: datetime) -> int:
    """Estimate the remaining seconds from this run's progress, else from measurements elsewhere."""
    first = min((found for row in done if (found := clock.parsed(row.first_at or ""))), default=now)
    last = max((found for row in done if (found := clock.parsed(row.last_at or ""))), default=now)
    read, took = sum(row.sessions for row in done), (last - first).total_seconds()
    if read < LEAST_READ or took <= 0:
        return look.seconds(waiting.sessions + behind, waiting.bytes)
    bytes_read = sum(row.bytes for row in done) or 1
    share = max(waiting.bytes / bytes_read, waiting.sessions / read / 2)
    return round(took * share)
