"""Starting a run: its row and its job are one commit, whether a person asks for it or the clock."""

from collections.abc import Sequence
from datetime import datetime

from signet import ids
from signet.db import ReadTx, WriteTx
from signet.domain.tasks import cron, store
from signet.domain.tasks.models import Task, TaskRun
from signet.domain.tasks.zones import zone
from signet.errors import Conflict, Invalid, NotFound
from signet.observe import logs
from signet.queue import Job, admin, enqueue
from signet.queue.enqueue import NOW

log = logs.get("scheduler")

KIND = "task_run"


class AlreadyRunning(Conflict):
    """Task is already running."""

    code = "task_running"


def get(tx: ReadTx, task_id: str) -> Task:
    """Return a task; raises NotFound."""
    found = store.task(tx, task_id)
    if found is None:
        raise NotFound("Task not found")
    return found


def by_hand(tx: WriteTx, task_id: str, *, now: datetime) -> str:
    """Start a run of a task, also of one that is disabled, and return its id; raises NotFound, AlreadyRunning."""
    task = get(tx, task_id)
    run_id = None if store.active(tx, task_id) else _start(tx, task, now=now)
    if run_id is None:
        raise AlreadyRunning()
    store.note_run(tx, task_id, at=now, next_at=None)
    return run_id


def due(tx: WriteTx, *, now: datetime) -> Sequence[str]:
    """Start what is due, once however often it was missed, and return the ids of the runs."""
    started = []
    for task in store.due(tx, now=now):
        try:
            next_at = cron.next_run(task.cron_expression, zone(task.timezone), now)
        except Invalid as error:  # an older program let it in
            log.warning("task.disabled", task_id=task.id, reason=error.message)
            store.put_off(tx, task.id, now=now)
            continue
        run_id = _start(tx, task, now=now)
        if run_id is not None:
            store.note_run(tx, task.id, at=now, next_at=next_at)
            started.append(run_id)
    return started


def delete(tx: WriteTx, task_id: str, *, now: datetime) -> None:
    """Delete a task with its runs, and end the one that is on; raises NotFound."""
    get(tx, task_id)
    active = store.active(tx, task_id)
    if active is not None:
        admin.cancel(tx, active.id, now=now)
    store.delete(tx, task_id)


def _start(tx: WriteTx, task: Task, *, now: datetime) -> str | None:
    """Add a run and its job, which has the same id; None while an earlier one is ending."""
    job = Job(kind=KIND, dedupe_key=task.id, job_id=ids.new_ordered_id(), priority=NOW)
    run_id = enqueue(tx, job, now=now)
    if run_id is not None:
        store.add_run(tx, run_id, task.id, now=now)
    return run_id


def runs(tx: ReadTx, task_id: str, *, limit: int, offset: int) -> tuple[list[TaskRun], int]:
    """Return a page of runs, newest first, and how many there are; raises NotFound."""
    get(tx, task_id)
    return store.runs(tx, task_id, limit=limit, offset=offset), store.count_runs(tx, task_id)
