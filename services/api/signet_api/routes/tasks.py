"""Tasks that recur: make, change, run, look at their runs, follow one."""

import asyncio
from typing import Annotated, Any

from signet import clock
from signet.db import ReadTx
from signet.domain.tasks import cron, edit, read, start
from signet.wire import tasks as wire
from signet.wire.done import Done
from signet.wire.requests.model import Whole
from signet.wire.requests.tasks import TaskBody
from signet.wire.tasks import AddedTask, RunPage, StartedRun, TaskPage, WholeTask
from signet_api.deps import Db, Shared
from signet_api.serving import serves
from signet_api.stream import EventStream, polled
from signet_api.taskfeed import TaskFollower

#: How often the stream of a task looks for more output.
LOOK_SECONDS = 0.25
#: Runs that are shown with their task.
RUNS_SHOWN = 20
MAX_RUNS = 200
PRESETS = [{"label": label, "expression": expression} for label, expression in cron.PRESETS]


@serves(wire.TASKS)
async def get_tasks(db: Db) -> TaskPage:
    """Return every task, newest first, with how its last run ended."""
    return {"tasks": await db.aread(_overview), "presets": PRESETS}


@serves(wire.ADD_TASK)
async def post_task(body: TaskBody, db: Db) -> AddedTask:
    """Make a task."""
    task = await asyncio.to_thread(edit.draft, body.model_dump(), now=clock.now())
    await db.awrite(edit.add, task)
    return {"id": task.id, "nextRunAt": task.next_run_at}


@serves(wire.TASK)
async def get_task(task_id: str, db: Db) -> WholeTask:
    """Return a task and its newest runs."""
    task = await db.aread(read.get, task_id)
    runs, _ = await db.aread(read.runs, task_id, limit=RUNS_SHOWN, offset=0)
    return {"task": task._asdict(), "runs": [run._asdict() for run in runs]}


@serves(wire.CHANGE_TASK)
async def patch_task(task_id: str, body: TaskBody, db: Db) -> Done:
    """Change what is named of a task; "" empties a folder, a skill or a time zone."""
    task = await db.aread(read.get, task_id)
    now = clock.now()
    changed = await asyncio.to_thread(edit.changed, task, body.model_dump(), now=now)
    await db.awrite(edit.save, changed)
    return {"success": True}


@serves(wire.REMOVE_TASK)
async def delete_task(task_id: str, db: Db) -> Done:
    """Delete a task with its runs; one that is on is ended."""
    await db.awrite(start.delete, task_id, now=clock.now())
    return {"success": True}


@serves(wire.RUN_TASK)
async def post_run(task_id: str, db: Db) -> StartedRun:
    """Run a task now, also one that is disabled."""
    run_id = await db.awrite(start.by_hand, task_id, now=clock.now())
    return {"runId": run_id, "status": "running"}


@serves(wire.TASK_RUNS)
async def get_runs(
    task_id: str,
    db: Db,
    limit: Annotated[int, Whole(1, MAX_RUNS)] = RUNS_SHOWN,
    offset: Annotated[int, Whole(0, 2**31)] = 0,
) -> RunPage:
    """Return a page of runs, newest first."""
    runs, total = await db.aread(read.runs, task_id, limit=limit, offset=offset)
    has_more = offset + len(runs) < total
    return {"runs": [run._asdict() for run in runs], "total": total, "hasMore": has_more}


@serves(wire.TASK_EVENTS)
async def get_stream(task_id: str, state: Shared) -> EventStream:
    """Tell what the runs of a task say, from what the one that is on has said so far."""
    await state.db.aread(read.get, task_id)
    follower = TaskFollower(state, task_id)
    more = polled(follower.look, LOOK_SECONDS, lambda: state.is_stopping)
    return EventStream(follower.connected(), more, follower.leave)


def _overview(tx: ReadTx) -> list[dict[str, Any]]:
    return [
        {**task._asdict(), "last_run_status": status, "last_run_exit_code": exit_code}
        for task, (status, exit_code) in read.every(tx)
    ]
