"""Reading tasks and their runs."""

from signet.db import ReadTx
from signet.domain.tasks import sql
from signet.domain.tasks.models import ACTIVE, Task, TaskRun
from signet.errors import NotFound


def get(tx: ReadTx, task_id: str) -> Task:
    """Return a task; raises NotFound."""
    found = sql.task(tx, task_id)
    if found is None:
        raise NotFound("Task not found")
    return found


def every(tx: ReadTx) -> list[tuple[Task, tuple[str | None, int | None]]]:
    """Return every task, newest first, each with status and exit code of its newest run."""
    ends = {task_id: (status, exit_code) for task_id, status, exit_code in tx.tuples(sql.LAST_ENDS)}
    return [(task, ends.get(task.id, (None, None))) for task in sql.newest(tx)]


def runs(tx: ReadTx, task_id: str, *, limit: int, offset: int) -> tuple[list[TaskRun], int]:
    """Return a page of runs, newest first, and how many there are; raises NotFound."""
    get(tx, task_id)
    count = int(tx.value(sql.COUNT, (task_id,)))
    return tx.rows(TaskRun, sql.RUNS, (task_id, limit, offset)), count


def run(tx: ReadTx, run_id: str) -> TaskRun | None:
    """Return a run, None when there is none of this id."""
    return tx.row(TaskRun, sql.ONE_RUN, (run_id,))


def latest_run(tx: ReadTx, task_id: str) -> tuple[str, bool] | None:
    """Return the id of the newest run and whether it waits or runs; None without runs. Raises NotFound."""
    found = tx.row(sql.Latest, sql.LATEST, (task_id,))
    if found is None:
        get(tx, task_id)
        return None
    return found.id, found.status in ACTIVE
