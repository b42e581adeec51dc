"""Scheduled tasks."""

from typing import Any, TypedDict

from signet.wire import access
from signet.wire.done import Done
from signet.wire.operation import delete, get, patch, post


class AddedTask(TypedDict):
    id: str
    nextRunAt: str | None


class TaskPage(TypedDict):
    tasks: list[dict[str, Any]]
    presets: list[dict[str, str]]


class WholeTask(TypedDict):
    task: dict[str, Any]
    runs: list[dict[str, Any]]


class StartedRun(TypedDict):
    runId: str
    status: str


class RunPage(TypedDict):
    runs: list[dict[str, Any]]
    total: int
    hasMore: bool


TASKS = get("/api/tasks", access.LOCAL, TaskPage)
ADD_TASK = post(
    "/api/tasks",
    access.programs("add a task, which runs an agent on a schedule", "signet task add"),
    AddedTask,
    status=201,
)
TASK = get("/api/tasks/{task_id}", access.LOCAL, WholeTask)
CHANGE_TASK = patch(
    "/api/tasks/{task_id}",
    access.programs("change what a task runs, or when", "signet task edit TASK"),
    Done,
)
REMOVE_TASK = delete(
    "/api/tasks/{task_id}",
    access.programs("delete a task and its runs", "signet task remove TASK"),
    Done,
)
RUN_TASK = post(
    "/api/tasks/{task_id}/run",
    access.programs("run a task now", "signet task run TASK"),
    StartedRun,
    status=202,
)
TASK_RUNS = get("/api/tasks/{task_id}/runs", access.LOCAL, RunPage)
TASK_EVENTS = get("/api/tasks/{task_id}/stream", access.LOCAL, str, media_type="text/event-stream")
