"""Starting a run: its row and its job are one commit, whether a person asks for it or the clock."""

import contextlib
from collections.abc import Sequence
from datetime import datetime

from signet import clock, ids
from signet.db import ReadTx, WriteTx
from signet.domain.tasks import edit, sql
from signet.domain.tasks.edit import zone
from signet.domain.tasks.models import Task, TaskRun
from signet.domain.tasks.read import get
from signet.errors import Conflict, Invalid
from signet.observe import logs
from signet.queue import Job, enqueue, transitions
from signet.queue.enqueue import NOW

log = logs.get("scheduler")

KIND = "task_run"


def by_hand(tx: WriteTx, task_id: str, *, now: datetime) -> str:
    """Start a run of a task, also of one that is disabled, and return its id; raises NotFound, Conflict."""
    task = get(tx, task_id)
    run_id = None if tx.row(TaskRun, sql.ACTIVE, (task_id,)) else _start(tx, task, now=now)
    if run_id is None:
        raise Conflict("Task is already running", "task_running")
    sql.set_last_run(tx, task_id, at=now, next_at=None)
    return run_id


def is_due(tx: ReadTx, *, now: datetime) -> bool:
    """Return whether a task is due."""
    return bool(sql.due(tx, now=now))


def due(tx: WriteTx, *, now: datetime) -> Sequence[str]:
    """Start what is due, once however often it was missed, and return the ids of the runs."""
    started = []
    for task in sql.due(tx, now=now):
        try:
            next_at = edit.next_run(task.cron_expression, zone(task.timezone), now)
        except Invalid as error:  # an older program let it in
            log.warning("task.disabled", task_id=task.id, reason=error.message)
            tx.run(sql.DISABLE, (clock.to_text(now), task.id))
            continue
        run_id = _start(tx, task, now=now)
        if run_id is not None:
            sql.set_last_run(tx, task.id, at=now, next_at=next_at)
            started.append(run_id)
    return started


def late(tx: ReadTx, *, now: datetime) -> dict[str, datetime]:
    """Map each task whose next run lies behind the next time of its schedule to that time: the clock was ahead."""
    found = {}
    for task in sql.enabled(tx):
        next_at = clock.parsed(task.next_run_at)
        with contextlib.suppress(Invalid):  # `due` disables it
            right = edit.next_run(task.cron_expression, zone(task.timezone), now)
            if next_at is None or next_at > right:
                found[task.id] = right
    return found


def bring_forward(tx: WriteTx, *, now: datetime) -> None:
    """Correct the next runs of late tasks."""
    for task_id, right in late(tx, now=now).items():
        sql.set_next_run(tx, task_id, right)


def withdraw(tx: WriteTx, *, disable: bool, now: datetime) -> None:
    """Cancel every run that has not ended; with `disable` also disable every task."""
    for job_id in tx.column(sql.OPEN_JOBS):
        transitions.cancel(tx, job_id, now=now)
    if disable:
        tx.run(sql.DISABLE_ALL, (clock.to_text(now),))


def delete(tx: WriteTx, task_id: str, *, now: datetime) -> None:
    """Delete a task with its runs, and cancel the one that is active; raises NotFound."""
    get(tx, task_id)
    active = tx.row(TaskRun, sql.ACTIVE, (task_id,))
    if active is not None:
        transitions.cancel(tx, active.id, now=now)
    tx.run(sql.DELETE_RUNS, (task_id,))
    tx.run(sql.DELETE, (task_id,))


def _start(tx: WriteTx, task: Task, *, now: datetime) -> str | None:
    """Add a run and its job, which has the same id; None while an earlier one is ending."""
    job = Job(kind=KIND, dedupe_key=task.id, job_id=ids.new_ordered_id(), priority=NOW)
    run_id = enqueue(tx, job, now=now)
    if run_id is not None:
        tx.run(sql.ADD_RUN, (run_id, task.id, clock.to_text(now)))
    return run_id
