"""Request the summary of a session: one job for each version, and at most one open job.

A job that finds more stored text than it has read requests the rest itself (summarize.py), so messages that arrive
while it runs are not lost.
"""

from collections.abc import Iterable
from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.summaries import sql
from signet.domain.summaries.models import Queued, SummaryJob
from signet.domain.transcripts import stored
from signet.domain.transcripts.models import Session
from signet.domain.transcripts.stored import UnreadPart
from signet.queue import NORMAL, NewJob, enqueue

KIND = "summarize"


def of_session(
    tx: WriteTx,
    session: Session,
    *,
    attempts: int,
    priority: int = NORMAL,
    by_model: bool = True,
    now: datetime,
) -> Queued:
    """Queue the reading of a transcript's current version, unless it was read.

    Without `by_model` the built-in rules read it.
    """
    key = f"{session.agent_id}:{session.key}"
    version = f"{key}:{stored.length(tx, session.agent_id, session.key)}"
    known = sql.of_version(tx, session.agent_id, session.key, version)
    if known:
        return Queued(job_id=known[0], is_open=known[1])
    return _queue(
        tx,
        session,
        key,
        version=version,
        attempts=attempts,
        priority=priority,
        by_model=by_model,
        now=now,
    )


def of_part(
    tx: WriteTx, session: Session, part: UnreadPart, *, attempts: int, now: datetime
) -> Queued:
    key = f"{session.agent_id}:{session.key}#{part.position}"
    return _queue(tx, session, key, version=key, part=part.text, attempts=attempts, now=now)


def restart(tx: WriteTx, job_id: str, *, now: datetime) -> bool:
    """Queue a request whose job is gone; False for an unknown one, or if its session has an open job."""
    found = tx.row(sql.RequestRow, sql.REQUEST, (job_id,))
    if found is None:
        return False
    job = NewJob(
        kind=KIND,
        job_id=job_id,
        dedupe_key=f"{found.agent_id}:{found.session_id or job_id}",
        agent_id=found.agent_id,
        payload={"is_part": True} if found.transcript else None,
    )
    if enqueue(tx, job, now=now, max_attempts=found.max_attempts) is None:
        return False
    tx.run(sql.RESTART, (clock.to_text(now), job_id))
    return True


def reserve_path(tx: WriteTx, job: SummaryJob, names: Iterable[str]) -> str:
    """Return the path of a job's notes, chosen once: a job that runs again writes the same file.

    A continued session keeps its file; otherwise it is the first name that no other job has.
    """
    path: str | None = tx.value(sql.PATH, (job.job_id,))
    if path is None and not job.is_part:
        path = tx.value(sql.LAST_PATH, (job.session.agent_id, job.session.key))
    if path is None:
        path = next(name for name in names if tx.value(sql.TAKEN, (name, job.job_id)) is None)
    tx.run(sql.SET_PATH, (path, job.job_id))
    return path


def has_notes(tx: ReadTx, path: str) -> bool:
    return tx.value(sql.TAKEN, (path, "")) is not None


def delete_old(tx: WriteTx, status: str, before: str, limit: int) -> int:
    return tx.run(sql.DELETE_OLD, (status, before, limit))


def _queue(
    tx: WriteTx,
    session: Session,
    key: str,
    *,
    version: str,
    part: str = "",
    attempts: int,
    priority: int = NORMAL,
    by_model: bool = True,
    now: datetime,
) -> Queued:
    """Queue the reading of a session, or return the open job with the same key, which reads everything."""
    said = {"is_part": bool(part), "by_rules": not by_model}
    job = NewJob(
        kind=KIND,
        dedupe_key=key,
        agent_id=session.agent_id,
        payload={name: True for name, is_so in said.items() if is_so} or None,
        priority=priority,
    )
    job_id = enqueue(tx, job, now=now, max_attempts=attempts)
    if job_id is None:
        return Queued(job_id=str(tx.value(sql.OPEN_JOB, (str(job.unique_key),))))
    at = clock.to_text(now)
    owner = (session.key, session.agent_id, session.harness, session.project)
    due_ms = int(now.timestamp() * 1000)
    tx.run(sql.INSERT, (job_id, *owner, part, version, attempts, due_ms, at, at))
    return Queued(job_id=job_id)
