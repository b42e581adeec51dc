"""Scheduled tasks."""

from typing import Any, TypedDict

from signet.wire import access
from signet.wire.done import Done
from signet.wire.operation import Operation


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


TASKS = Operation("GET", "/api/tasks", access.LOCAL, TaskPage)
ADD_TASK = Operation(
    "POST",
    "/api/tasks",
    access.programs("add a task, which runs an agent on a schedule", "signet task add"),
    AddedTask,
    status=201,
)
TASK = Operation("GET", "/api/tasks/{task_id}", access.LOCAL, WholeTask)
CHANGE_TASK = Operation(
    "PATCH",
    "/api/tasks/{task_id}",
    access.programs("change what a task runs, or when", "signet task edit TASK"),
    Done,
)
REMOVE_TASK = Operation(
    "DELETE",
    "/api/tasks/{task_id}",
    access.programs("delete a task and its runs", "signet task remove TASK"),
    Done,
)
RUN_TASK = Operation(
    "POST",
    "/api/tasks/{task_id}/run",
    access.programs("run a task now", "signet task run TASK"),
    StartedRun,
    status=202,
)
TASK_RUNS = Operation("GET", "/api/tasks/{task_id}/runs", access.LOCAL, RunPage)
TASK_EVENTS = Operation(
    "GET", "/api/tasks/{task_id}/stream", access.LOCAL, str, media_type="text/event-stream"
)
