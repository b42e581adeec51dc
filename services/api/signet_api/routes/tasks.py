"""Scheduled tasks and their runs."""

import asyncio
import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, BinaryIO

from signet import clock
from signet.db import ReadTx
from signet.domain.tasks import run, scheduled
from signet.domain.tasks.models import RunStatus, TaskRun
from signet.domain.tasks.run import STREAMS, Spool
from signet.errors import NotFound
from signet.wire import tasks as wire
from signet.wire.done import Done
from signet.wire.requests.machine import TaskBody
from signet.wire.requests.model import ClampedInt
from signet_api.deps import Db, Shared, State
from signet_api.serving import serves
from signet_api.stream import FILES_SECONDS, EventStream, message

#: Characters of earlier output per stream sent at connection.
REPLAY_CHARS = 200_000
#: Maximum characters per event.
EVENT_CHARS = 32_768


@dataclass(slots=True)
class _Reader:
    """An open output stream of a run."""

    file: BinaryIO
    decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )

    def take(self, *, is_last: bool) -> str:
        """Return new text; an incomplete character waits for the rest, unless `is_last`."""
        return self.decoder.decode(self.file.read(), is_last)


@dataclass(slots=True)
class TaskFollower:
    """One client that follows the output of a task's runs (TK-8).

    The worker writes output to files, which are read from the client's position. An open file stays readable after
    the run's end, so no line is lost.
    """

    state: State
    task_id: str
    #: The current run, and whether its start was sent.
    _run_id: str | None = None
    _has_begun: bool = False
    #: The newest run that had ended at connection or was completely sent.
    _done: str | None = None
    _has_looked: bool = False
    _readers: dict[str, _Reader] = field(default_factory=dict)

    def connected(self) -> bytes:
        return self._event("connected")

    async def poll(self) -> bytes | None:
        """Return new events; None if the task is deleted."""
        found = await self.state.db.aread(self._find)
        return None if found is None else await asyncio.to_thread(self._look, *found)

    def leave(self) -> None:
        readers, self._readers = self._readers, {}
        for reader in readers.values():
            reader.file.close()

    def _find(self, tx: ReadTx) -> list[TaskRun] | None:
        """Return the run to continue with, at most one; None if the task is deleted."""
        try:
            latest = scheduled.latest_run(tx, self.task_id)
        except NotFound:
            return None
        is_first, self._has_looked = not self._has_looked, True
        if latest is None:
            return []
        run_id, is_active = latest
        if is_first and not is_active:
            self._done = run_id
        # A run is sent to its end before the next one.
        wanted = self._run_id or run_id
        found = None if wanted == self._done else scheduled.run(tx, wanted)
        return [] if found is None else [found]

    def _look(self, *runs: TaskRun) -> bytes:
        return b"".join(event for run in runs for event in self._events(run))

    def _events(self, run: TaskRun) -> Iterator[bytes]:
        self._run_id = run.id
        if not self._has_begun and run.status != RunStatus.PENDING:
            self._has_begun = True
            yield self._event("run-started", runId=run.id, startedAt=run.started_at)
        yield from self._output(run)
        if run.is_active:
            return
        yield self._event(
            "run-completed",
            runId=run.id,
            status=run.status,
            completedAt=run.completed_at,
            exitCode=run.exit_code,
            error=run.error,
        )
        self._done, self._run_id, self._has_begun = run.id, None, False
        self.leave()

    def _output(self, run: TaskRun) -> Iterator[bytes]:
        spool = Spool.for_run(self.state.workspace, run.id)
        stored = {"stdout": run.stdout or "", "stderr": run.stderr or ""}
        for stream in STREAMS:
            reader = self._readers.get(stream) or self._open(spool, stream)
            is_over = not run.is_active
            if reader is not None:
                chunk = reader.take(is_last=is_over)
            else:
                chunk = stored[stream][-REPLAY_CHARS:] if is_over else ""
            for at in range(0, len(chunk), EVENT_CHARS):
                some = chunk[at : at + EVENT_CHARS]
                yield self._event("run-output", runId=run.id, stream=stream, chunk=some)

    def _open(self, spool: Spool, stream: str) -> _Reader | None:
        """Open a stream near its end; None if the run has no file."""
        try:
            file = spool.path(stream).open("rb")
        except FileNotFoundError:
            return None
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - REPLAY_CHARS))
        self._readers[stream] = reader = _Reader(file)
        return reader

    def _event(self, kind: str, **fields: object) -> bytes:
        event = {"type": kind, "taskId": self.task_id, **fields}
        return message(event | {"timestamp": clock.to_text(clock.now())})


#: Runs returned with their task.
RUNS_SHOWN = 20
MAX_RUNS = 200
PRESETS = [{"label": label, "expression": expression} for label, expression in scheduled.PRESETS]


@serves(wire.TASKS)
async def get_tasks(db: Db) -> wire.TaskPage:
    """Return every task, newest first, with the result of its last run."""
    return {"tasks": await db.aread(_overview), "presets": PRESETS}


@serves(wire.ADD_TASK)
async def post_task(body: TaskBody, db: Db) -> wire.AddedTask:
    """Schedule a prompt for a harness with a cron expression."""
    task = await asyncio.to_thread(scheduled.draft, body.model_dump(), now=clock.now())
    await db.awrite(scheduled.add, task)
    return {"id": task.id, "nextRunAt": task.next_run_at}


@serves(wire.TASK)
async def get_task(task_id: str, db: Db) -> wire.WholeTask:
    """Return a task and its newest runs."""
    task = await db.aread(scheduled.get, task_id)
    runs, _ = await db.aread(scheduled.runs, task_id, limit=RUNS_SHOWN, offset=0)
    return {"task": task._asdict(), "runs": [run._asdict() for run in runs]}


@serves(wire.CHANGE_TASK)
async def patch_task(task_id: str, body: TaskBody, db: Db) -> Done:
    """Change fields of a task; "" clears a folder, a skill or a time zone."""
    task = await db.aread(scheduled.get, task_id)
    now = clock.now()
    changed = await asyncio.to_thread(scheduled.changed, task, body.model_dump(), now=now)
    await db.awrite(scheduled.save, changed)
    return {"success": True}


@serves(wire.REMOVE_TASK)
async def delete_task(task_id: str, db: Db) -> Done:
    """Delete a task with its runs, stopping a running one."""
    await db.awrite(run.delete, task_id, now=clock.now())
    return {"success": True}


@serves(wire.RUN_TASK)
async def post_run(task_id: str, db: Db) -> wire.StartedRun:
    """Run a task now, even if disabled."""
    run_id = await db.awrite(run.by_hand, task_id, now=clock.now())
    return {"runId": run_id, "status": "running"}


@serves(wire.TASK_RUNS)
async def get_runs(
    task_id: str,
    db: Db,
    limit: Annotated[int, ClampedInt(1, MAX_RUNS)] = RUNS_SHOWN,
    offset: Annotated[int, ClampedInt(0, 2**31)] = 0,
) -> wire.RunPage:
    """Return a page of runs, newest first."""
    runs, total = await db.aread(scheduled.runs, task_id, limit=limit, offset=offset)
    has_more = offset + len(runs) < total
    return {"runs": [run._asdict() for run in runs], "total": total, "hasMore": has_more}


@serves(wire.TASK_EVENTS)
async def get_stream(task_id: str, state: Shared) -> EventStream:
    """Stream the output of a task's runs, including the current run's earlier output."""
    await state.db.aread(scheduled.get, task_id)
    follower = TaskFollower(state, task_id)
    first, look = follower.connected(), follower.poll
    return EventStream(state, first, look, follower.leave, every_seconds=FILES_SECONDS)


def _overview(tx: ReadTx) -> list[dict[str, Any]]:
    return [
        {**task._asdict(), "last_run_status": status, "last_run_exit_code": exit_code}
        for task, (status, exit_code) in scheduled.every(tx)
    ]
