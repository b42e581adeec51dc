"""Run the command of a task and store its capped output."""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from signet.domain.skills import files
from signet.domain.tasks.models import STREAM_BYTES, RunEnd, SkillMode, Task, TaskHarness
from signet.errors import SignetError
from signet.observe import logs
from signet.paths import Workspace
from signet.process import supervised_child

log = logs.get("scheduler")

#: Variables for the daemon's own programs alone.
_OWN = ("SIGNET_SOCKET_FD", "SIGNET_SUPERVISOR_PID", "SIGNET_LOG_STDOUT", "SIGNET_PORT_FD")


def arguments(task: Task, prompt: str, *, codex_model: str | None) -> list[str]:
    """Return the command line; `codex_model` is for Codex, which else takes its own default."""
    # What begins with a dash would be read as an option.
    text = f" {prompt}" if prompt.startswith("-") else prompt
    match TaskHarness(task.harness):
        case TaskHarness.CLAUDE_CODE:
            free = ["--dangerously-skip-permissions"] if task.skip_permissions else []
            return ["claude", *free, "-p", text]
        case TaskHarness.CODEX:
            model = ["--model", codex_model] if codex_model else []
            return ["codex", "exec", "--skip-git-repo-check", "--json", *model, text]
        case TaskHarness.OPENCODE:
            return ["opencode", "run", "--format", "json", text]


def prompt(task: Task, skills: Path) -> str:
    """Return the prompt with its skill; without it, and with a warning in the log, when there is no such skill."""
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
    """Return what a run is given: it must not feed our own hooks, nor believe to be inside a harness."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CLAUDECODE", *_OWN)}
    return kept | {"SIGNET_NO_HOOKS": "1"}


STREAMS = ("stdout", "stderr")


@dataclass(frozen=True, slots=True)
class Spool:
    """The files of one run."""

    folder: Path
    run_id: str

    @classmethod
    def of(cls, workspace: Workspace, run_id: str) -> "Spool":
        """Return the files of a run; nothing is made yet."""
        return cls(workspace.daemon_dir / "tasks", run_id)

    def path(self, stream: str) -> Path:
        """Return the file of a stream."""
        return self.folder / f"{self.run_id}.{stream}"

    def create(self) -> dict[str, BinaryIO]:
        """Make empty files and return them, to be written without a buffer; raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return {stream: self.path(stream).open("wb", buffering=0) for stream in STREAMS}

    def text(self, stream: str) -> str:
        """Return the output on a stream; "" when there is no file of it."""
        try:
            with self.path(stream).open("rb") as file:
                return file.read(STREAM_BYTES).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    def remove(self) -> None:
        """Remove the files."""
        for stream in STREAMS:
            self.path(stream).unlink(missing_ok=True)


class Capped:
    """Writes to a file until it holds `STREAM_BYTES`; the rest is dropped, so that no program waits for a reader."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._room = STREAM_BYTES

    def write(self, some: bytes) -> None:
        """Write up to the limit; raises OSError."""
        kept = some[: self._room]
        if kept:
            os.write(self._file.fileno(), kept)
            self._room -= len(kept)


LIMIT_SECONDS = 600.0
#: How often is looked whether to go on.
LOOK_SECONDS = 0.2
#: How long output is read that others still hold open after the program's end.
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
    """Run a command and return how it ended, with its output; `check` raises when the run is to stop.

    A program that cannot be started has an `error`. Raises what `check` raises, after the end of the program.
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
    """Read until the program has ended; True when its time was over first."""
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
    while not _has_ended(process):  # it has closed its output and goes on
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
