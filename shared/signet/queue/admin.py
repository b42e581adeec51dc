"""Manage jobs by hand: read, retry, cancel, delete."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.db.dialect import LIST, as_list, by_index, list_of
from signet.errors import Conflict, NotFound
from signet.queue import transitions
from signet.queue.enqueue import DUE
from signet.queue.kinds import RUN_ONCE, JobStatus

_ONE = "SELECT * FROM memory_jobs WHERE id = ?"
#: The column with the time of a job's last change of state; for the two final states it leads an index.
_CHANGED = {
    JobStatus.PENDING: "updated_at",
    JobStatus.LEASED: "updated_at",
    JobStatus.COMPLETED: "completed_at",
    JobStatus.DEAD: "failed_at",
}
_CHOICE = """(:kind IS NULL OR job_type = :kind) AND (:code IS NULL OR last_error_code = :code)
   AND {changed} >= COALESCE(:since, '') AND {changed} < COALESCE(:until, '~')
   AND (:agent_id IS NULL OR agent_id = :agent_id)
   AND (:hidden IS NULL OR agent_id IS NULL OR agent_id NOT GLOB :hidden)
   AND (:behind IS NULL OR ({changed}, id) < (:behind, :behind_id))
   AND (:project IS NULL OR EXISTS
        (SELECT 1 FROM memories m WHERE m.id = memory_jobs.memory_id AND m.project = :project))"""
_IN_STATE = """
SELECT * FROM (SELECT *, {changed} AS changed FROM memory_jobs WHERE status = '{status}' AND {choice}
                ORDER BY {changed} {order}, id {order} LIMIT :limit)"""
_OF_TARGET = f"""
SELECT *, updated_at AS changed FROM memory_jobs
 WHERE {{target}} AND {{choice}} AND status IN {list_of(":states")}"""
#: Only the requested conditions: without any, the indexes contain everything to count.
_COUNTED = {
    "since": "{changed} >= :since",
    "until": "{changed} < :until",
    "agent_id": "agent_id = :agent_id",
    "hidden": "(agent_id IS NULL OR agent_id NOT GLOB :hidden)",
    "project": "EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_jobs.memory_id AND m.project = :project)",
}
_TALLY = """
SELECT '{status}' AS status, queue, job_type AS kind, {code} AS code, COUNT(*) AS jobs FROM memory_jobs
 WHERE status = '{status}'{choice} GROUP BY 2, 3, 4"""
#: Fields of a filter that make a search through all states unnecessary.
_TARGETS = {
    "job_ids": f"id IN {list_of(':job_ids')}",
    "memory_id": "memory_id = :memory_id",
    "document_id": "document_id = :document_id",
}
_DUE_NOW = (
    "UPDATE memory_jobs SET due_ms = :wall, updated_at = :now WHERE id = :id AND status = 'pending'"
)
_TWIN = """
SELECT open.id FROM memory_jobs open JOIN memory_jobs dead ON open.dedupe_key = dead.dedupe_key
 WHERE dead.id = ? AND open.status IN ('pending', 'leased')"""
_HURRY = """
UPDATE memory_jobs SET due_ms = :wall, updated_at = :now
 WHERE status = 'pending' AND due_ms > :wall AND last_error_code IS NOT NULL"""
_ASK_AGAIN = (
    "UPDATE provider_breakers SET retry_at_ms = :wall, updated_at = :now WHERE retry_at_ms > :wall"
)
_START_AT = "UPDATE memory_jobs SET due_ms = ? WHERE id = ?"
_OPEN = "SELECT 1 FROM memory_jobs WHERE queue = ? AND status IN ('pending', 'leased') LIMIT 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFilter:
    """A filter for jobs; None matches everything. `since` and `until` (ISO text) limit the latest change.

    `project` is that of the job's memory; `hidden` is a GLOB pattern of owners to leave out.
    """

    states: Sequence[JobStatus] = tuple(_CHANGED)
    kind: str | None = None
    code: str | None = None
    memory_id: str | None = None
    document_id: str | None = None
    job_ids: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None
    agent_id: str | None = None
    project: str | None = None
    hidden: str | None = None
    #: The latest change and the ID of a job after which the page begins.
    behind: tuple[str, str] | None = None


EVERY = JobFilter()


class JobTally(NamedTuple):
    """The number of matching jobs with equal values; `code` is that of the last error, only for dead jobs."""

    status: str
    queue: str
    kind: str
    code: str | None
    jobs: int


def get(tx: ReadTx, job_id: str) -> Row | None:
    """Return the whole row of one job."""
    return tx.one(_ONE, (job_id,))


def find(
    tx: ReadTx, which: JobFilter = EVERY, *, limit: int = 50, oldest_first: bool = False
) -> list[Row]:
    """Return matching jobs in the order of their latest change, newest first by default.

    Each state is read through its own index, so that a long history costs nothing.
    """
    order = "ASC" if oldest_first else "DESC"
    states = [state for state in which.states if state in _CHANGED]
    if not states:
        return []
    params = {**_params(which), "limit": limit, "states": json.dumps(states)}
    named = [sql for name, sql in _TARGETS.items() if getattr(which, name) is not None]
    if named:
        choice = _CHOICE.format(changed="updated_at")
        rows = _OF_TARGET.format(target=" AND ".join(named), choice=choice)
    else:
        rows = " UNION ALL ".join(_in_state(state, order) for state in states)
    return tx.all(f"{rows} ORDER BY changed {order}, id {order} LIMIT :limit", params)


def tally(tx: ReadTx, which: JobFilter) -> list[JobTally]:
    """Count matching jobs by state, queue, kind and code."""
    target = [sql for name, sql in _TARGETS.items() if getattr(which, name) is not None]
    conditions = [
        *target,
        *(sql for name, sql in _COUNTED.items() if getattr(which, name) is not None),
    ]
    counts = [
        _TALLY.format(
            status=state,
            code="last_error_code" if state is JobStatus.DEAD else "NULL",
            choice="".join(f" AND {one.format(changed=changed)}" for one in conditions),
        )
        for state, changed in _CHANGED.items()
    ]
    return tx.rows(JobTally, " UNION ALL ".join(counts), _params(which))


def _params(which: JobFilter) -> dict[str, object]:
    changed, job_id = which.behind or (None, None)
    return {
        **asdict(which),
        "job_ids": None if which.job_ids is None else json.dumps(list(which.job_ids)),
        "behind": changed,
        "behind_id": job_id,
    }


def _in_state(state: JobStatus, order: str) -> str:
    changed = _CHANGED[state]
    choice = _CHOICE.format(changed=changed)
    return _IN_STATE.format(changed=changed, status=state, choice=choice, order=order)


def retry(tx: WriteTx, job_id: str, *, now: datetime) -> None:
    """Restart a dead job, or start a waiting one now.

    Raises NotFound, and Conflict for a running or completed job, one whose kind runs once, or one whose target has
    another open job.
    """
    row = get(tx, job_id)
    match None if row is None else JobStatus(row["status"]):
        case None:
            raise NotFound("Job not found")
        case JobStatus.PENDING:
            wall, text = int(now.timestamp() * 1000), clock.to_text(now)
            tx.run(_DUE_NOW, {"id": job_id, "wall": wall, "now": text})
            tx.signal(DUE)
        case JobStatus.DEAD:
            if row is not None and row["job_type"] in RUN_ONCE:
                raise Conflict(
                    "A run of a task is never repeated. To run it again: signet task run TASK"
                )
            if not transitions.requeue(tx, now=now, job_ids=[job_id]):
                twin = str(tx.value(_TWIN, (job_id,)))
                raise Conflict(f"Job {twin} for the same target is already open", open_job_id=twin)
        case JobStatus.LEASED:
            raise Conflict(
                "The job is running. To end it: cancel it", status=JobStatus.LEASED.value
            )
        case state:
            raise Conflict(f"The job is {state}: there is nothing to retry", status=state.value)


def cancel_one(tx: WriteTx, job_id: str, *, now: datetime) -> JobStatus:
    """Cancel an open job and return its state: dead, or leased if it must still stop.

    Raises NotFound, and Conflict for a job that has ended.
    """
    if not transitions.cancel(tx, job_id, now=now):
        row = get(tx, job_id)
        if row is None:
            raise NotFound("Job not found")
        raise Conflict(f"The job is {row['status']} already", status=row["status"])
    row = get(tx, job_id)
    assert row is not None
    return JobStatus(row["status"])


def delete_one(tx: WriteTx, job_id: str) -> None:
    """Delete a job that has ended; raises NotFound, and Conflict for an open one."""
    row = get(tx, job_id)
    if row is None:
        raise NotFound("Job not found")
    state = JobStatus(row["status"])
    if state not in (JobStatus.COMPLETED, JobStatus.DEAD):
        raise Conflict(f"The job is {state}. To delete it, cancel it first", status=state.value)
    delete_ended(tx, state, [job_id])


def hurry(tx: WriteTx, *, now: datetime) -> int:
    """Make waiting retries and providers due now; return the number of jobs."""
    times = {"wall": int(now.timestamp() * 1000), "now": clock.to_text(now)}
    tx.run(_ASK_AGAIN, times)
    tx.signal(DUE)
    return tx.run(_HURRY, times)


def has_open(tx: ReadTx, queue: str) -> bool:
    """Return whether a queue has a waiting or running job."""
    return tx.one(_OPEN, (queue,)) is not None


def spread(tx: WriteTx, job_ids: Sequence[str], *, apart_ms: int, now: datetime) -> None:
    """Start jobs one after the other, the first now."""
    start = int(now.timestamp() * 1000)
    tx.many(_START_AT, [(start + place * apart_ms, id_) for place, id_ in enumerate(job_ids)])


#: A running job ends as usual.
_OF_MEMORIES = f"DELETE FROM memory_jobs WHERE memory_id IN {LIST} AND status <> 'leased'"
#: The hints make the planner use the partial indexes of the compared times.
_COMPLETED = f"""
DELETE FROM memory_jobs WHERE rowid IN (
  SELECT rowid FROM memory_jobs {by_index("idx_memory_jobs_completed_at")}
   WHERE status = 'completed' AND completed_at < ? ORDER BY completed_at LIMIT ?)"""
_DEAD = f"""
DELETE FROM memory_jobs WHERE rowid IN (
  SELECT rowid FROM memory_jobs {by_index("idx_memory_jobs_failed_at")}
   WHERE status = 'dead' AND failed_at < ? ORDER BY failed_at LIMIT ?)"""

_ENDED = f"DELETE FROM memory_jobs WHERE status = ? AND id IN {LIST}"


def delete_of_memories(tx: WriteTx, memory_ids: Sequence[str]) -> None:
    tx.run(_OF_MEMORIES, (as_list(memory_ids),))


def delete_completed(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest jobs completed before this time; return their number."""
    return tx.run(_COMPLETED, (before, limit))


def delete_dead(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest jobs that died before this time; return their number."""
    return tx.run(_DEAD, (before, limit))


def delete_ended(tx: WriteTx, status: JobStatus, job_ids: Sequence[str]) -> int:
    """Delete those of these jobs that are still in this state; return their number."""
    return tx.run(_ENDED, (status, as_list(job_ids)))
