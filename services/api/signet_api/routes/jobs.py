"""Look at jobs, try them again, end them."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, TypedDict

from signet import clock
from signet.db import Database, ReadTx, Row, WriteTx, columns
from signet.db import cursor as cursors
from signet.domain.auth import caller
from signet.domain.memory import history
from signet.domain.memory.models import Actor, Event
from signet.errors import Invalid, NotFound
from signet.queue import Status, admin, transitions
from signet.queue.admin import JobFilter, Tally
from signet.wire import jobs as wire
from signet.wire.jobs import ChangedJob, ChangedJobs, Job, Jobs, WholeJob
from signet.wire.requests.jobs import MAX_JOBS, JobsBody
from signet.wire.requests.model import Flag, Text, Whole
from signet_api.deps import Db, Who
from signet_api.params import Since, Until
from signet_api.serving import serves


class _Within(TypedDict):
    agent_id: str | None
    project: str | None


#: What jobs are counted by.
FACETS = ("status", "kind", "queue", "code")
#: What history is told of instead of a memory (RP-5).
SYSTEM = "system"


@serves(wire.MEMORY_JOB)
async def get_memory_job(job_id: str, db: Db) -> Job:
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
    limit: Annotated[int, Whole(1, MAX_JOBS)] = 50,
    cursor: Text = None,
    facets: Flag = False,
) -> Jobs:
    """Return jobs, latest change first.

    `status` (several are separated by commas), `kind`, `code` (of the last error), `memory_id` and `document_id` narrow
    them, `since` and `until` bound the latest change. `cursor` is `next` of another page; `facets=1` adds counts.
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
        **_within(),
    )
    rows = await db.aread(admin.find, which, limit=limit + 1)
    found, more = rows[:limit], rows[limit:]
    page: Jobs = {
        "jobs": [_job(row) for row in found],
        "count": len(found),
        "next": cursors.write([found[-1]["changed"], found[-1]["id"]]) if more else None,
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


def _passes(one: Tally, which: JobFilter, *, but: str = "") -> bool:
    """Return whether counted jobs pass the filters, or all but one of them."""
    return (
        (but == "status" or one.status in which.states)
        and (but == "kind" or which.kind in (None, one.kind))
        and (but == "code" or which.code in (None, one.code))
    )


def _facet(name: str, counted: Sequence[Tally], which: JobFilter) -> list[wire.JobCount]:
    found: Counter[str] = Counter()
    for one in counted:
        if (value := getattr(one, name)) and _passes(one, which, but=name):
            found[value] += one.jobs
    return [{"key": value, "count": jobs} for value, jobs in found.most_common()]


def _states(text: str | None) -> Sequence[Status]:
    if not text:
        return admin.EVERY.states
    try:
        return tuple(dict.fromkeys(Status(name.strip()) for name in text.split(",")))
    except ValueError as error:
        raise Invalid(f"status must be one of {', '.join(Status)}") from error


@serves(wire.JOB)
async def get_job(job_id: str, db: Db) -> WholeJob:
    """Return everything about one job, its last errors included."""
    row = await _row(db, job_id)
    return {
        **_job(row),
        "priority": row["priority"],
        "agent_id": row["agent_id"],
        "parent_id": row["parent_id"],
        "payload": columns.json_or_text(row["payload"]),
        "result": columns.json_or_text(row["result"]),
        "errors": columns.json_or_text(row["errors"]) or [],
        "runs_total": row["runs_total"],
        "crashes": row["crashes"],
        "lease_owner": row["lease_owner"],
        "lease_token": row["lease_token"],
        "cancel_requested": bool(row["cancel_requested"]),
        "due_at": clock.ms_to_text(row["due_ms"]),
    }


@serves(wire.RETRY_JOB)
async def post_retry(job_id: str, db: Db, actor: Who) -> ChangedJob:
    """Give a dead job a fresh start, or let one that waits start now."""
    await _row(db, job_id)
    await db.awrite(_retry_one, job_id, actor=actor, now=clock.now())
    return {"success": True, "id": job_id, "status": Status.PENDING}


@serves(wire.CANCEL_JOB)
async def post_cancel(job_id: str, db: Db, actor: Who) -> ChangedJob:
    """End a job: one that waits at once, one that runs when it next looks up."""
    await _row(db, job_id)
    status = await db.awrite(_cancel_one, job_id, actor=actor, now=clock.now())
    return {
        "success": True,
        "id": job_id,
        "status": status,
        "cancelRequested": status is Status.LEASED,
    }


@serves(wire.RETRY_JOBS)
async def post_retry_many(body: JobsBody, db: Db, actor: Who) -> ChangedJobs:
    """Give the dead jobs of a choice a fresh start, oldest first."""
    which = _which(body, Status.DEAD)
    if body.dry_run:
        return _changed(*await db.aread(_ids, which, body.size), is_dry=True)
    done = await db.awrite(_retry_many, which, body.size, actor=actor, now=clock.now())
    return _changed(*done, is_dry=False)


@serves(wire.CANCEL_JOBS)
async def post_cancel_many(body: JobsBody, db: Db, actor: Who) -> ChangedJobs:
    """End the open jobs of a choice, oldest first."""
    which = _which(body, Status.PENDING, Status.LEASED)
    if body.dry_run:
        return _changed(*await db.aread(_ids, which, body.size), is_dry=True)
    done = await db.awrite(_cancel_many, which, body.size, actor=actor, now=clock.now())
    return _changed(*done, is_dry=False)


def _retry_one(tx: WriteTx, job_id: str, *, actor: Actor, now: datetime) -> None:
    admin.retry(tx, job_id, now=now)
    _audit(tx, "retryJob", [job_id], actor=actor, now=now)


def _cancel_one(tx: WriteTx, job_id: str, *, actor: Actor, now: datetime) -> Status:
    status = admin.cancel_one(tx, job_id, now=now)
    _audit(tx, "cancelJob", [job_id], actor=actor, now=now)
    return status


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
    """Return the oldest jobs of a choice, and whether there are more than the limit."""
    found = [row["id"] for row in admin.find(tx, which, limit=limit + 1, oldest_first=True)]
    return found[:limit], len(found) > limit


def _audit(tx: WriteTx, action: str, jobs: list[str], *, actor: Actor, now: datetime) -> None:
    """Write down who changed which jobs, in the transaction that does."""
    facts = {"repairAction": action, "affected": len(jobs), "jobs": jobs}
    history.record(tx, SYSTEM, Event.NONE, actor=actor, at=now, reason=action, metadata=facts)


async def _row(db: Database, job_id: str) -> Row:
    """Return a job that the caller may see; raises NotFound."""
    rows = await db.aread(admin.find, JobFilter(job_ids=[job_id], **_within()))
    if not rows:
        raise NotFound("Job not found")
    return rows[0]


def _which(body: JobsBody, *states: Status) -> JobFilter:
    return JobFilter(
        states=states,
        kind=body.kind,
        code=body.code,
        memory_id=body.memory_id,
        document_id=body.document_id,
        job_ids=body.ids,
        since=clock.to_text(body.since) if body.since else None,
        until=clock.to_text(body.until) if body.until else None,
        **_within(),
    )


def _within() -> _Within:
    """Return which jobs the caller's token holds."""
    scope = caller.current().scope
    return {"agent_id": scope.agent, "project": scope.project}


def _changed(ids: list[str], more: bool, *, is_dry: bool) -> ChangedJobs:
    return {"success": True, "affected": len(ids), "ids": ids, "more": more, "dryRun": is_dry}


def _job(row: Row) -> Job:
    waits = row["status"] == Status.PENDING
    return {
        "id": row["id"],
        "memory_id": row["memory_id"],
        "document_id": row["document_id"],
        "job_type": row["job_type"],
        "queue": row["queue"],
        "status": row["status"],
        "attempt_count": row["attempts"],
        "attempts": row["attempts"],
        "max_attempts": row["max_attempts"],
        "next_attempt_at": clock.ms_to_text(row["due_ms"]) if waits else None,
        "last_error": row["error"],
        "last_error_code": row["last_error_code"],
        "error": row["error"],
        "result": row["result"],
        "leased_at": row["leased_at"],
        "completed_at": row["completed_at"],
        "failed_at": row["failed_at"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }
