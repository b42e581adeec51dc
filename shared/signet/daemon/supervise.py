"""The daemon's own process: `python -m signet.daemon.supervise --port N … -- WORKSPACE`.

There is one per workspace: it locks `.daemon/lock` before the database is opened and until it exits, so one of two
simultaneous starts wins. It records itself, has the database upgraded, and becomes the supervisor of the programs.
"""

import argparse
import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import BinaryIO, NoReturn

from signet import clock, files
from signet.daemon import record
from signet.domain.auth import tokens
from signet.observe.logfile import STARTUP
from signet.paths import Workspace
from signet.process import backoff, kernel
from signet.process.parent import EVERY_SECONDS, STOPPED_LOOKS
from signet.process.program import LOG_STDOUT, SUPERVISOR_PID


def main() -> int:
    """Run the daemon of a workspace until it is stopped; return the exit status."""
    os.umask(0o077)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _leave)
    asked = _arguments()
    workspace = Workspace(asked.workspace)
    workspace.make()
    os.chdir(workspace.root)
    _mend(workspace)
    lock = _take(workspace.lock_file)
    if lock is None:
        return record.ALREADY
    with lock:
        try:
            tokens.create_workspace_token(workspace)
            record.write(workspace, asked.port, asked.bind, now=clock.now())
            _be(workspace, asked)
        except _Refused as error:
            sys.stderr.write(f"{error}\n")
            return 1
        finally:
            with suppress(OSError):  # the folder was deleted
                workspace = Workspace(Path.cwd()) if workspace.is_moved() else workspace
                record.remove(workspace, os.getpid())
                tokens.remove_workspace_token(workspace)
    return 0


class _Refused(Exception):
    """The daemon cannot run; the text is the last line of the startup log."""


def _be(workspace: Workspace, asked: argparse.Namespace) -> None:
    _set_environment(workspace, asked)
    _clear_traces(workspace)
    from signet.daemon import forks, tree

    forks.load()
    command = [sys.executable, *forks.BEFORE, asked.migrate, str(workspace.root)]
    fork = partial(forks.become, command, os.environ) if forks.CAN_FORK else None
    migration = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, preexec_fn=fork
    )
    notice = _output(migration).strip()
    if migration.returncode != 0:
        raise _Refused("The database could not be prepared")
    if notice:
        record.write(workspace, asked.port, asked.bind, now=clock.now(), notice=notice)
    try:
        tree.run(asked.config, workspace)
    except ValueError as error:
        raise _Refused(f"Cannot listen on port {asked.port}: {error}") from error


def _output(process: "subprocess.Popen[str]") -> str:
    """Return a process's output after its exit; a stopped one (SIGSTOP) is continued."""
    stopped = 0
    while True:
        try:
            return process.communicate(timeout=EVERY_SECONDS)[0]
        except subprocess.TimeoutExpired:
            stopped = stopped + 1 if kernel.state(process.pid) == "T" else 0
            if stopped >= STOPPED_LOOKS:
                process.send_signal(signal.SIGCONT)


def _set_environment(workspace: Workspace, asked: argparse.Namespace) -> None:
    """Set the variables of the programs and of the supervisor's configuration."""
    startup = workspace.log_dir / STARTUP
    if stat.S_ISSOCK(os.fstat(1).st_mode):
        # A service manager's journal cannot be opened by name, as the supervisor's library does.
        with startup.open("ab") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
    os.environ.update(
        SIGNET_PATH=str(workspace.root),
        SIGNET_PORT=str(asked.port),
        SIGNET_BIND=asked.bind,
        SIGNET_LISTEN=asked.bind,
        SIGNET_PYTHON=sys.executable,
        SIGNET_STARTUP_LOG=str(startup),
        SIGNET_CONTROL_SOCKET=str(record.control_socket(workspace)),
        PROMETHEUS_MULTIPROC_DIR=str(workspace.metrics_dir),
    )
    os.environ[SUPERVISOR_PID] = str(os.getpid())
    os.environ[LOG_STDOUT] = "1" if asked.foreground else "0"


def _clear_traces(workspace: Workspace) -> None:
    """Remove the metric values and crash counts of an earlier daemon."""
    shutil.rmtree(workspace.metrics_dir, ignore_errors=True)
    with suppress(OSError):
        workspace.metrics_dir.unlink()  # if it is not a folder
    workspace.metrics_dir.mkdir(mode=0o700, exist_ok=True)
    backoff.forget(workspace.runtime_dir)


def _mend(workspace: Workspace) -> None:
    """Move aside anything at the daemon's paths that is not a file, so that its locks can be opened."""
    locks = (workspace.lock_file, workspace.runtime_dir / "scheduler.lock")
    control = record.control_socket(workspace)
    hints = (workspace.pid_file, workspace.state_file, workspace.port_file)
    for path in (
        *locks,
        *hints,
        workspace.token_file,
        workspace.api_socket,
        control,
        control.with_name(f"{control.name}.pid"),
    ):
        if not path.is_socket():
            files.put_aside(path)
    for path in locks:
        with suppress(FileNotFoundError):
            path.chmod(0o600)


def _take(path: Path) -> BinaryIO | None:
    """Return the locked file, None if another process holds it."""
    lock = path.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=record.SUPERVISE)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--bind", required=True)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--migrate", required=True)
    parser.add_argument("--foreground", action="store_true")
    parser.add_argument("workspace", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
