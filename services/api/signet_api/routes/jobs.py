"""Jobs: list, retry, cancel and delete them. `routes/events.py` streams their changes."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from signet import clock
from signet.db import Database, ReadTx, Row, WriteTx, columns
from signet.db import cursor as cursors
from signet.domain.auth import caller
from signet.domain.memory import history
from signet.domain.memory.models import Actor, Event
from signet.errors import Invalid, NotFound
from signet.queue import JobStatus, admin, transitions
from signet.queue.admin import JobFilter, JobTally
from signet.text import words
from signet.wire import jobs as wire
from signet.wire.requests.jobs import MAX_JOBS, JobsBody
from signet.wire.requests.model import ClampedInt, Flag, Text
from signet_api import scopes
from signet_api.deps import Db, Since, Until, Who
from signet_api.serving import serves
from signet_api.shapes import as_wire, filled

#: Columns for counts of jobs.
FACETS = ("status", "kind", "queue", "code")
#: Subject of history entries that concern no memory (RP-5).
SYSTEM = "system"


@serves(wire.MEMORY_JOB)
async def get_memory_job(job_id: str, db: Db) -> wire.Job:
    """Return one job."""
    return _job(await _row(db, job_id))


@serves(wire.JOBS)
async def get_jobs(
    db: Db,
    since: Since,
    until: Until,
    status: Text = None,
    kind: Text = None,
    code: Text = None,
    memory_id: Text = None,
    document_id: Text = None,
    limit: Annotated[int, ClampedInt(1, MAX_JOBS)] = 50,
    cursor: Text = None,
    facets: Flag = False,
) -> wire.Jobs:
    """Return jobs, latest change first.

    `status` (comma-separated), `kind`, `code` (of the last error), `memory_id` and `document_id` filter them,
    `since` and `until` bound the latest change. `cursor` is `next` of the previous page; `facets` adds totals and
    counts.
    """
    which = JobFilter(
        states=_states(status),
        kind=kind,
        code=code,
        memory_id=memory_id,
        document_id=document_id,
        since=since,
        until=until,
        behind=_place(cursor),
        **scopes.jobs_of(caller.current()),
    )
    rows = await db.aread(admin.find, which, limit=limit + 1)
    found, following = cursors.cut(rows, limit, lambda row: (row["changed"], row["id"]))
    page: wire.Jobs = {
        "jobs": [_job(row) for row in found],
        "count": len(found),
        "next": following,
    }
    if facets:
        counted = await db.aread(admin.tally, which)
        page["total"] = sum(one.jobs for one in counted if _passes(one, which))
        page["facets"] = {name: _facet(name, counted, which) for name in FACETS}
    return page


def _place(cursor: str | None) -> tuple[str, str] | None:
    if cursor is None:
        return None
    changed, job_id = cursors.read(cursor, str, str)
    return str(changed), str(job_id)


def _passes(one: JobTally, which: JobFilter, *, but: str = "") -> bool:
    """Return whether counted jobs pass the filters, except `but`."""
    return (
        (but == "status" or one.status in which.states)
        and (but == "kind" or which.kind in (None, one.kind))
        and (but == "code" or which.code in (None, one.code))
    )


def _facet(name: str, counted: Sequence[JobTally], which: JobFilter) -> list[wire.JobCount]:
    found: Counter[str] = Counter()
    for one in counted:
        if (value := getattr(one, name)) and _passes(one, which, but=name):
            found[value] += one.jobs
    return [
        {"key": value, "count": jobs, "says": words.told(value)}
        for value, jobs in found.most_common()
    ]


def _states(text: str | None) -> Sequence[JobStatus]:
    if not text:
        return admin.EVERY.states
    try:
        return tuple(dict.fromkeys(JobStatus(name.strip()) for name in text.split(",")))
    except ValueError as error:
        raise Invalid(f"status must be one of {', '.join(JobStatus)}") from error


@serves(wire.JOB)
async def get_job(job_id: str, db: Db) -> wire.WholeJob:
    """Return one job with all fields and its last errors."""
    row = await _row(db, job_id)
    return as_wire(
        wire.WholeJob,
        {**dict(row), **_job(row)},
        payload=columns.json_or_text(row["payload"]),
        result=columns.json_or_text(row["result"]),
        errors=columns.json_or_text(row["errors"]) or [],
        cancel_requested=bool(row["cancel_requested"]),
        due_at=clock.ms_to_text(row["due_ms"]),
    )


@serves(wire.RETRY_JOB)
async def post_retry(job_id: str, db: Db, actor: Who) -> wire.ChangedJob:
    """Restart a dead job, or run a waiting one now."""
    await _row(db, job_id)
    await db.awrite(_retry_one, job_id, actor=actor, now=clock.now())
    return {"success": True, "id": job_id, "status": JobStatus.PENDING}


@serves(wire.CANCEL_JOB)
async def post_cancel(job_id: str, db: Db, actor: Who) -> wire.ChangedJob:
    """Cancel a job: a waiting one at once, a running one at its next check (`cancelRequested`)."""
    await _row(db, job_id)
    status = await db.awrite(_cancel_one, job_id, actor=actor, now=clock.now())
    return {
        "success": True,
        "id": job_id,
        "status": status,
        "cancelRequested": status is JobStatus.LEASED,
    }


@serves(wire.DELETE_JOB)
async def delete_job(job_id: str, db: Db, actor: Who) -> wire.DeletedJob:
    """Delete an ended job; 409 for an open one."""
    await _row(db, job_id)
    await db.awrite(_delete_one, job_id, actor=actor, now=clock.now())
    return {"success": True, "id": job_id}


@serves(wire.RETRY_JOBS)
async def post_retry_many(body: JobsBody, db: Db, actor: Who) -> wire.ChangedJobs:
    """Restart dead jobs, oldest first: all of `ids`, else `limit` (50 by default, at most 500)."""
    which = _which(body, JobStatus.DEAD)
    if body.dry_run:
        return _changed(*await db.aread(_ids, which, body.size), is_dry=True)
    done = await db.awrite(_retry_many, which, body.size, actor=actor, now=clock.now())
    return _changed(*done, is_dry=False)


@serves(wire.CANCEL_JOBS)
async def post_cancel_many(body: JobsBody, db: Db, actor: Who) -> wire.ChangedJobs:
    """Cancel open jobs, oldest first: all of `ids`, else `limit` (50 by default, at most 500)."""
    which = _which(body, JobStatus.PENDING, JobStatus.LEASED)
    if body.dry_run:
        return _changed(*await db.aread(_ids, which, body.size), is_dry=True)
    done = await db.awrite(_cancel_many, which, body.size, actor=actor, now=clock.now())
    return _changed(*done, is_dry=False)


def _retry_one(tx: WriteTx, job_id: str, *, actor: Actor, now: datetime) -> None:
    admin.retry(tx, job_id, now=now)
    _audit(tx, "retryJob", [job_id], actor=actor, now=now)


def _cancel_one(tx: WriteTx, job_id: str, *, actor: Actor, now: datetime) -> JobStatus:
    status = admin.cancel_one(tx, job_id, now=now)
    _audit(tx, "cancelJob", [job_id], actor=actor, now=now)
    return status


def _delete_one(tx: WriteTx, job_id: str, *, actor: Actor, now: datetime) -> None:
    admin.delete_one(tx, job_id)
    _audit(tx, "deleteJob", [job_id], actor=actor, now=now)


def _retry_many(
    tx: WriteTx, which: JobFilter, limit: int, *, actor: Actor, now: datetime
) -> tuple[list[str], bool]:
    chosen, more = _ids(tx, which, limit)
    found = transitions.requeue(tx, now=now, job_ids=chosen, limit=limit)
    _audit(tx, "requeueDeadJobs", found, actor=actor, now=now)
    return found, more


def _cancel_many(
    tx: WriteTx, which: JobFilter, limit: int, *, actor: Actor, now: datetime
) -> tuple[list[str], bool]:
    chosen, more = _ids(tx, which, limit)
    found = [job_id for job_id in chosen if transitions.cancel(tx, job_id, now=now)]
    _audit(tx, "cancelJobs", found, actor=actor, now=now)
    return found, more


def _ids(tx: ReadTx, which: JobFilter, limit: int) -> tuple[list[str], bool]:
    """Return the oldest selected jobs, and whether there are more than the limit."""
    found = [row["id"] for row in admin.find(tx, which, limit=limit + 1, oldest_first=True)]
    return found[:limit], len(found) > limit


def _audit(tx: WriteTx, action: str, jobs: list[str], *, actor: Actor, now: datetime) -> None:
    """Record the actor of a change in the same transaction."""
    facts = {"repairAction": action, "affected": len(jobs), "jobs": jobs}
    history.record(tx, SYSTEM, Event.NONE, actor=actor, at=now, reason=action, metadata=facts)


async def _row(db: Database, job_id: str) -> Row:
    """Return a job that the caller may see; raises NotFound."""
    rows = await db.aread(
        admin.find, JobFilter(job_ids=[job_id], **scopes.jobs_of(caller.current()))
    )
    if not rows:
        raise NotFound("Job not found")
    return rows[0]


def _which(body: JobsBody, *states: JobStatus) -> JobFilter:
    return filled(
        JobFilter,
        body,
        states=states,
        job_ids=body.ids,
        since=clock.to_text(body.since) if body.since else None,
        until=clock.to_text(body.until) if body.until else None,
        **scopes.jobs_of(caller.current()),
    )


def _changed(ids: list[str], more: bool, *, is_dry: bool) -> wire.ChangedJobs:
    return {"success": True, "affected": len(ids), "ids": ids, "more": more, "dryRun": is_dry}


def _job(row: Row) -> wire.Job:
    waits = row["status"] == JobStatus.PENDING
    return as_wire(
        wire.Job,
        row,
        says=words.told(row["job_type"]),
        attempt_count=row["attempts"],
        next_attempt_at=clock.ms_to_text(row["due_ms"]) if waits else None,
        last_error=row["error"],
    )
