"""Tasks that recur: make, change, run, look at their runs, follow one."""

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from signet import clock
from signet.db import ReadTx
from signet.domain.tasks import cron, edit, read, start
from signet.domain.tasks.edit import Wish
from signet.wire.requests.tasks import TaskBody
from signet_api.bodies import JsonRoute
from signet_api.deps import Db, Shared
from signet_api.params import whole
from signet_api.stream import EventStream, polled
from signet_api.taskfeed import TaskFollower

router = APIRouter(tags=["tasks"], route_class=JsonRoute)

#: How often the stream of a task looks for more output.
LOOK_SECONDS = 0.25
#: Runs that are shown with their task.
RUNS_SHOWN = 20
MAX_RUNS = 200
PRESETS = [{"label": label, "expression": expression} for label, expression in cron.PRESETS]


@router.get("/api/tasks")
async def get_tasks(db: Db) -> dict[str, object]:
    """Return every task, newest first, with how its last run ended."""
    return {"tasks": await db.aread(_overview), "presets": PRESETS}


@router.post("/api/tasks", status_code=201)
async def post_task(body: TaskBody, db: Db) -> dict[str, object]:
    """Make a task."""
    task = await asyncio.to_thread(edit.draft, Wish(**body.model_dump()), now=clock.now())
    await db.awrite(edit.add, task)
    return {"id": task.id, "nextRunAt": task.next_run_at}


@router.get("/api/tasks/{task_id}")
async def get_task(task_id: str, db: Db) -> dict[str, object]:
    """Return a task and its newest runs."""
    task = await db.aread(read.get, task_id)
    runs, _ = await db.aread(read.runs, task_id, limit=RUNS_SHOWN, offset=0)
    return {"task": task._asdict(), "runs": [run._asdict() for run in runs]}


@router.patch("/api/tasks/{task_id}")
async def patch_task(task_id: str, body: TaskBody, db: Db) -> dict[str, object]:
    """Change what is named of a task; "" empties a folder, a skill or a time zone."""
    task = await db.aread(read.get, task_id)
    now = clock.now()
    changed = await asyncio.to_thread(edit.changed, task, Wish(**body.model_dump()), now=now)
    await db.awrite(edit.save, changed)
    return {"success": True}


@router.delete("/api/tasks/{task_id}")
async def delete_task(task_id: str, db: Db) -> dict[str, object]:
    """Delete a task with its runs; one that is on is ended."""
    await db.awrite(start.delete, task_id, now=clock.now())
    return {"success": True}


@router.post("/api/tasks/{task_id}/run", status_code=202)
async def post_run(task_id: str, db: Db) -> dict[str, object]:
    """Run a task now, also one that is disabled."""
    run_id = await db.awrite(start.by_hand, task_id, now=clock.now())
    return {"runId": run_id, "status": "running"}


@router.get("/api/tasks/{task_id}/runs")
async def get_runs(task_id: str, request: Request, db: Db) -> dict[str, object]:
    """Return a page of runs, newest first."""
    limit = whole(request.query_params.get("limit"), RUNS_SHOWN, low=1, high=MAX_RUNS)
    offset = whole(request.query_params.get("offset"), 0, low=0, high=2**31)
    runs, total = await db.aread(read.runs, task_id, limit=limit, offset=offset)
    has_more = offset + len(runs) < total
    return {"runs": [run._asdict() for run in runs], "total": total, "hasMore": has_more}


@router.get("/api/tasks/{task_id}/stream", response_class=Response)
async def get_stream(task_id: str, state: Shared) -> Response:
    """Tell what the runs of a task say, from what the one that is on has said so far."""
    await state.db.aread(read.get, task_id)
    follower = TaskFollower(state, task_id)
    more = polled(follower.look, LOOK_SECONDS, lambda: state.feed.is_closed)
    return EventStream(follower.connected(), more, follower.leave)


def _overview(tx: ReadTx) -> list[dict[str, object]]:
    return [
        {**task._asdict(), "last_run_status": status, "last_run_exit_code": exit_code}
        for task, (status, exit_code) in read.every(tx)
    ]
