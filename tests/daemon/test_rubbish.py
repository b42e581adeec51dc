"""Whatever is in the files of `.daemon`, a daemon is found, stopped and started."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from signet.client import address, connection
from signet.daemon import control, record
from signet.daemon.processes import processes
from signet.domain.auth import tokens
from signet.domain.auth.tokens import BadSecret
from signet.domain.updates import check
from signet.errors import Invalid
from signet.observe.logfile import STARTUP
from signet.paths import Workspace
from signet.process import backoff
from signet.process.program import Program
from support.processes import PATIENCE_SECONDS, eventually, is_running

from .conftest import Daemon


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "content").touch()


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 32)


def _unreadable(path: Path) -> None:
    path.write_text("1")
    path.chmod(0)


RUBBISH: dict[str, Callable[[Path], object]] = {
    "empty": Path.touch,
    "garbage": lambda path: path.write_bytes(os.urandom(300)),
    "other JSON": lambda path: path.write_text('{"pid": "x", "port": [], "url": 3, "at": 1e999}'),
    "a list": lambda path: path.write_text("[1, 2]"),
    "a number": lambda path: path.write_text("1"),
    "huge": _huge,
    "a folder": _folder,
    "a pipe": os.mkfifo,
    "unreadable": _unreadable,
    "missing": lambda path: None,
}


def fill(daemon: Daemon, how: str) -> None:
    """Put rubbish in the place of every file that a daemon leaves about itself."""
    workspace, run = daemon.workspace, daemon.workspace.runtime_dir
    names = ("supervisor.sock", "supervisor.sock.pid", "scheduler.lock")
    starts = [f"start-{name}.json" for name in ("api", "worker", "scheduler")]
    own = [workspace.pid_file, workspace.state_file, workspace.port_file, workspace.lock_file]
    if how == "a folder" and not processes(workspace):  # a daemon without them cannot be reached
        own += [workspace.token_file, workspace.api_socket]
    if how not in ("unreadable", "huge"):  # a person may have made it so
        own.append(workspace.log_dir / STARTUP)
    for path in (*own, *(run / name for name in (*names, *starts))):
        if path.is_dir():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        RUBBISH[how](path)


def test_a_daemon_is_found_stopped_and_started_among_rubbish(daemon: Daemon) -> None:
    started = daemon.start()
    for how in RUBBISH:
        first = started.daemon
        fill(daemon, how)
        found = record.running(daemon.workspace)
        assert found is not None, how
        assert (found.pid, found.port, found.url) == (first.pid, first.port, first.url), how
        assert control.status(daemon.workspace)["pid"] == first.pid, how
        assert not daemon.start().is_new, how
        assert daemon.stop(), how
        assert not is_running(first.pid), how
        fill(daemon, how)
        assert record.running(daemon.workspace) is None, how
        assert daemon.stop() is False, how
        started = daemon.start()
        assert started.is_new, how
        eventually(lambda: len(processes(daemon.workspace)) == 3)


def test_of_two_supervisors_the_one_with_the_lock_is_the_daemon(daemon: Daemon) -> None:
    first = daemon.start().daemon
    daemon.workspace.pid_file.write_text("")
    second = daemon.launch("start")
    found = record.running(daemon.workspace)
    assert found is not None and found.pid == first.pid
    second.communicate(timeout=PATIENCE_SECONDS)


@pytest.mark.parametrize("how", RUBBISH)
def test_no_record_of_starts_keeps_a_program_from_starting(tmp_path: Path, how: str) -> None:
    RUBBISH[how](tmp_path / "start-api.json")
    assert backoff.last(tmp_path, Program.API) is None
    assert backoff.begin(tmp_path, Program.API, 5.0).at == 5.0
    backoff.note_stall(tmp_path, Program.API, "stood still")
    backoff.forget(tmp_path)


def test_a_program_that_crashed_for_a_day_still_starts() -> None:
    last = backoff.Start(at=0.0, crashes=5_000)
    assert backoff.following(last, 1.0).at == 1.0 + backoff.LONGEST_SECONDS


@pytest.mark.parametrize("how", RUBBISH)
def test_clients_read_no_rubbish_and_wait_for_no_pipe(tmp_path: Path, how: str) -> None:
    workspace = Workspace(tmp_path)
    workspace.make()
    if how == "unreadable" and os.geteuid() == 0:
        pytest.skip("root reads everything")
    files = ("state.json", "port", "token", "connection.json", "update.json")
    for path in (workspace.daemon_dir / name for name in files):
        RUBBISH[how](path)
    before = [*Path("/proc/self/fd").iterdir()]
    found = address.recorded(workspace)
    assert found == ("http://127.0.0.1:1" if how == "a number" else None)
    if how == "missing":
        assert connection.connection_of(workspace) is None
    else:
        with pytest.raises(Invalid, match=r"connection\.json cannot be read"):
            connection.connection_of(workspace)
    with pytest.raises((OSError, BadSecret)):
        tokens.read_workspace_token(workspace)
    assert not check.read_known(workspace).is_update
    assert [*Path("/proc/self/fd").iterdir()] == before
