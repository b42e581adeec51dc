"""Start due and requested runs of tasks, and perform them."""

import contextlib
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO

from signet import clock, ids
from signet.config import Settings
from signet.config.extraction import TextProvider
from signet.db import Database, ReadTx, WriteTx
from signet.domain.skills import files
from signet.domain.tasks import scheduled, sql
from signet.domain.tasks.models import (
    RESTARTED,
    STREAM_BYTES,
    RunEnd,
    SkillMode,
    Task,
    TaskHarness,
    TaskRun,
)
from signet.domain.tasks.scheduled import folder_of, get, zone
from signet.errors import Conflict, Invalid, SignetError
from signet.observe import logs
from signet.paths import Workspace
from signet.process import supervised_child
from signet.queue import NewJob, enqueue, transitions
from signet.queue.enqueue import NOW
from signet.queue.job_context import JobContext
from signet.queue.retry import Cancelled, LeaseLost

log = logs.get("scheduler")

#: Variables for the daemon's own programs alone.
_OWN = ("SIGNET_SOCKET_FD", "SIGNET_SUPERVISOR_PID", "SIGNET_LOG_STDOUT", "SIGNET_PORT_FD")


def arguments(task: Task, prompt_of: str, *, codex_model: str | None) -> list[str]:
    """Return the command line; without `codex_model` Codex uses its default."""
    # What begins with a dash would be read as an option.
    text = f" {prompt_of}" if prompt_of.startswith("-") else prompt_of
    match TaskHarness(task.harness):
        case TaskHarness.CLAUDE_CODE:
            free = ["--dangerously-skip-permissions"] if task.skip_permissions else []
            return ["claude", *free, "-p", text]
        case TaskHarness.CODEX:
            model = ["--model", codex_model] if codex_model else []
            return ["codex", "exec", "--skip-git-repo-check", "--json", *model, text]
        case TaskHarness.OPENCODE:
            return ["opencode", "run", "--format", "json", text]


def prompt_of(task: Task, skills: Path) -> str:
    """Return the prompt with its skill; a missing skill is logged and left out."""
    if task.skill_name is None:
        return task.prompt
    try:
        skill = files.find(skills, task.skill_name)
    except SignetError as error:
        log.warning("task.no_skill", task_id=task.id, skill=task.skill_name, reason=error.message)
        return task.prompt
    if task.skill_mode == SkillMode.SLASH:
        return f"/{task.skill_name} {task.prompt}"
    return f"{skill.body.strip()}\n\n---\n\n{task.prompt}"


def environment() -> dict[str, str]:
    """Return a run's environment: without our hooks, and without signs of a surrounding harness."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CLAUDECODE", *_OWN)}
    return kept | {"SIGNET_NO_HOOKS": "1"}


STREAMS = ("stdout", "stderr")


@dataclass(frozen=True, slots=True)
class Spool:
    folder: Path
    run_id: str

    @classmethod
    def for_run(cls, workspace: Workspace, run_id: str) -> "Spool":
        """Return the files of a run without creating them."""
        return cls(workspace.daemon_dir / "tasks", run_id)

    def path(self, stream: str) -> Path:
        return self.folder / f"{self.run_id}.{stream}"

    def create(self) -> dict[str, BinaryIO]:
        """Create empty, unbuffered files; raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return {stream: self.path(stream).open("wb", buffering=0) for stream in STREAMS}

    def text(self, stream: str) -> str:
        """Return the output of a stream; "" without a file."""
        try:
            with self.path(stream).open("rb") as file:
                return file.read(STREAM_BYTES).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def remove(self) -> None:
        for stream in STREAMS:
            self.path(stream).unlink(missing_ok=True)


class Capped:
    """Writes up to `STREAM_BYTES` to a file and drops the rest, so that no program blocks."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._room = STREAM_BYTES

    def write(self, some: bytes) -> None:
        kept = some[: self._room]
        if kept:
            os.write(self._file.fileno(), kept)
            self._room -= len(kept)


LIMIT_SECONDS = 600.0
#: Interval of checks whether to continue.
LOOK_SECONDS = 0.2
#: How long output is read if other processes still hold it open after the program's end.
DRAIN_SECONDS = 1.0
_CHUNK = 65_536


def execute(
    command: Sequence[str],
    spool: Spool,
    *,
    folder: Path,
    environ: Mapping[str, str],
    check: Callable[[], object],
    limit_seconds: float = LIMIT_SECONDS,
) -> RunEnd:
    """Run a command and return its end with its output; `check` raises to stop it.

    A program that cannot be started has an `error`. Raises what `check` raises, after the program has ended.
    """
    with ExitStack() as stack:
        files = {name: stack.enter_context(file) for name, file in spool.create().items()}
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", supervised_child.__file__, "0", *command],
                cwd=folder,
                env=environ,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            return RunEnd(error=f"cannot start in {folder}: {error.strerror}")
        except ValueError as error:  # a NUL character in a skill
            return RunEnd(error=f"cannot start: {error}")
        try:
            late = _follow(process, files, check, limit_seconds)
        finally:
            code = _end_process(process)
    out, err = (spool.text(stream) for stream in STREAMS)
    if late:
        reason = f"Process timed out after {round(limit_seconds * 1000)}ms"
        return RunEnd(error=reason, stdout=out, stderr=err)
    return RunEnd(exit_code=code, stdout=out, stderr=err)


def _follow(
    process: "subprocess.Popen[bytes]",
    files: Mapping[str, BinaryIO],
    check: Callable[[], object],
    limit_seconds: float,
) -> bool:
    """Read until the program ends; True if it ran out of time."""
    deadline = time.monotonic() + limit_seconds
    with selectors.DefaultSelector() as selector:
        for stream in STREAMS:
            selector.register(getattr(process, stream), selectors.EVENT_READ, Capped(files[stream]))
        drained_by: float | None = None
        while selector.get_map():
            for key, _ in selector.select(LOOK_SECONDS):
                some = os.read(key.fd, _CHUNK)
                if some:
                    key.data.write(some)
                else:
                    selector.unregister(key.fileobj)
            check()
            now = time.monotonic()
            if drained_by is None and _has_ended(process):
                drained_by = now + DRAIN_SECONDS
            if drained_by is not None and now >= drained_by:
                return False
            if drained_by is None and now >= deadline:
                return True
    while not _has_ended(process):  # it has closed its output but still runs
        check()
        if time.monotonic() >= deadline:
            return True
        time.sleep(LOOK_SECONDS)
    return False


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end_process(process: "subprocess.Popen[bytes]") -> int:
    """Stop the remaining processes of the group, first with SIGTERM, and return the exit status."""
    assert process.stdin is not None
    process.stdin.close()
    give_up = time.monotonic() + supervised_child.GRACE_SECONDS + 1
    while not _has_ended(process) and time.monotonic() < give_up:
        time.sleep(0.02)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    return code


log = logs.get("scheduler")

KIND = "task_run"


def by_hand(tx: WriteTx, task_id: str, *, now: datetime) -> str:
    """Start a run of any task, also of a disabled one, and return its ID; raises NotFound, Conflict."""
    task = get(tx, task_id)
    run_id = None if tx.row(TaskRun, sql.ACTIVE, (task_id,)) else _start(tx, task, now=now)
    if run_id is None:
        raise Conflict("Task is already running", "task_running")
    sql.set_last_run(tx, task_id, at=now, next_at=None)
    return run_id


def is_due(tx: ReadTx, *, now: datetime) -> bool:
    return bool(tx.rows(Task, sql.DUE, (clock.to_text(now),)))


def next_at(tx: ReadTx) -> str | None:
    """Return the time of the next enabled task."""
    found: str | None = tx.value(sql.NEXT)
    return found


def due(tx: WriteTx, *, now: datetime) -> Sequence[str]:
    """Start due tasks, once however many runs were missed, and return the IDs of the runs."""
    started = []
    for task in tx.rows(Task, sql.DUE, (clock.to_text(now),)):
        try:
            next_at = scheduled.next_run(task.cron_expression, zone(task.timezone), now)
        except Invalid as error:  # accepted by an older program
            log.warning("task.disabled", task_id=task.id, reason=error.message)
            tx.run(sql.DISABLE, (clock.to_text(now), task.id))
            continue
        run_id = _start(tx, task, now=now)
        if run_id is not None:
            sql.set_last_run(tx, task.id, at=now, next_at=next_at)
            started.append(run_id)
    return started


def late(tx: ReadTx, *, now: datetime) -> dict[str, datetime]:
    """Map tasks whose next run is after the next time of their schedule to that time: the clock was ahead."""
    found = {}
    for task in tx.rows(Task, sql.ENABLED):
        next_at = clock.parsed(task.next_run_at)
        with contextlib.suppress(Invalid):  # `due` disables it
            right = scheduled.next_run(task.cron_expression, zone(task.timezone), now)
            if next_at is None or next_at > right:
                found[task.id] = right
    return found


def bring_forward(tx: WriteTx, *, now: datetime) -> None:
    """Correct the next runs of late tasks."""
    for task_id, right in late(tx, now=now).items():
        tx.run(sql.SET_NEXT_RUN, (clock.to_text(right), task_id))


def withdraw(tx: WriteTx, *, disable: bool, now: datetime) -> None:
    """Cancel every unfinished run; with `disable` also disable every task."""
    for job_id in tx.column(sql.OPEN_JOBS):
        transitions.cancel(tx, job_id, now=now)
    if disable:
        tx.run(sql.DISABLE_ALL, (clock.to_text(now),))


def carry(tx: WriteTx, tasks: Sequence[Task]) -> None:
    """Store tasks of another database, without their runs, in place of those with the same ids."""
    for task in tasks:
        tx.run(sql.CARRY, task._asdict())


def delete(tx: WriteTx, task_id: str, *, now: datetime) -> None:
    """Delete a task with its runs, and cancel an active one; raises NotFound."""
    get(tx, task_id)
    active = tx.row(TaskRun, sql.ACTIVE, (task_id,))
    if active is not None:
        transitions.cancel(tx, active.id, now=now)
    tx.run(sql.DELETE_RUNS, (task_id,))
    tx.run(sql.DELETE, (task_id,))


def _start(tx: WriteTx, task: Task, *, now: datetime) -> str | None:
    """Add a run and its job with the same ID; None while an earlier one is ending."""
    job = NewJob(kind=KIND, dedupe_key=task.id, job_id=ids.new_ordered_id(), priority=NOW)
    run_id = enqueue(tx, job, now=now)
    if run_id is not None:
        tx.run(sql.ADD_RUN, (run_id, task.id, clock.to_text(now)))
    return run_id


#: Job errors that explain a run without an end; after any other one its process was killed.
_ENDINGS = frozenset({"cancelled", "timeout", "expired"})


def perform(job: JobContext, settings: Settings, workspace: Workspace) -> None:
    """Do the run of this job; raises LeaseLost, Cancelled, and TimeoutError."""
    run_id = job.lease.job_id
    spool = Spool.for_run(workspace, run_id)
    # Synced: after a power cut it must be known that the run has begun.
    task, may_run = job.db.write(_begin, job, clock.now())
    if task is None:
        job.commit(lambda tx: {"skipped": "the task is gone"})
    elif not may_run:
        _finish(job, task, unfinished(spool, RESTARTED))
    else:
        _finish(job, task, _execute(job, task, spool, settings, workspace))
    spool.remove()


def unfinished(spool: Spool, error: str) -> RunEnd:
    """Return the end of a run whose process reported none, with its partial output."""
    return RunEnd(error=error, stdout=spool.text("stdout"), stderr=spool.text("stderr"))


def end_orphan(tx: WriteTx, run: TaskRun, ended: RunEnd, *, now: datetime) -> bool:
    """End a run without a job, unless it has ended meanwhile; its stored output stays."""
    kept = replace(
        ended, stdout=ended.stdout or run.stdout or "", stderr=ended.stderr or run.stderr or ""
    )
    return sql.end(tx, run.id, run.task_id, kept, now=now)


def end_orphans(db: Database, workspace: Workspace, *, now: datetime) -> None:
    """Mark runs without a job as failed."""
    for *fields, code in db.read(lambda tx: tx.tuples(sql.ORPHANS)):
        run = TaskRun._make(fields)
        spool = Spool.for_run(workspace, run.id)
        ended = unfinished(spool, code if code in _ENDINGS else RESTARTED)
        if db.write(end_orphan, run, ended, now=now):
            log.warning("task.not_ended", task_id=run.task_id, run_id=run.id, reason=ended.error)
        spool.remove()


def _begin(tx: WriteTx, job: JobContext, now: datetime) -> tuple[Task | None, bool]:
    """Return the task of this run, None if it was deleted, and whether the run begins now."""
    held = job.lease
    if not transitions.is_held(tx, held.job_id, held.token):
        raise LeaseLost(job_id=held.job_id)
    found = tx.row(TaskRun, sql.ONE_RUN, (held.job_id,))
    task = None if found is None else tx.row(Task, sql.ONE, (found.task_id,))
    return task, tx.run(sql.BEGIN, (str(held.token), clock.to_text(now), held.job_id)) == 1


def _execute(
    job: JobContext, task: Task, spool: Spool, settings: Settings, workspace: Workspace
) -> RunEnd:
    extraction = settings.pipeline.extraction
    is_codex = extraction.provider is TextProvider.CODEX
    prompt = prompt_of(task, workspace.skills_dir)
    line = arguments(task, prompt, codex_model=extraction.model if is_codex else None)
    log.info("task.started", task_id=task.id, run_id=job.lease.job_id, harness=task.harness)
    try:
        return execute(line, spool, folder=folder_of(task), environ=environment(), check=job.check)
    except Cancelled:
        job.progress(lambda tx: _end(tx, job, task, unfinished(spool, "cancelled")))
        spool.remove()
        raise


def _finish(job: JobContext, task: Task, ended: RunEnd) -> None:
    job.commit(lambda tx: _end(tx, job, task, ended))
    log.info(
        "task.ended",
        task_id=task.id,
        run_id=job.lease.job_id,
        status=ended.status,
        exit_code=ended.exit_code,
        reason=ended.error,
    )


def _end(tx: WriteTx, job: JobContext, task: Task, ended: RunEnd) -> dict[str, object]:
    sql.end(tx, job.lease.job_id, task.id, ended, now=clock.now())
    return {"status": ended.status, "exitCode": ended.exit_code}
