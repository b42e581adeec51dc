"""Start, stop and inspect the daemon of a workspace.

`start` returns when the daemon is ready, not when it is spawned. All functions may be called at any time and by several
programs at once: the supervisor's lock decides which start wins, and the others wait for that daemon.
"""

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signet import files
from signet.client import connection
from signet.config.env import HOST
from signet.daemon import ready, record
from signet.daemon.record import PortTaken, Running, StartFailed
from signet.domain.auth import tokens
from signet.errors import Invalid, SignetError, Unavailable
from signet.observe.logfile import STARTUP
from signet.paths import Workspace
from signet.process import kernel
from signet.resources import deploy_dir

if TYPE_CHECKING:
    from signet.daemon.processes import Movement

#: A start may always take this long from opening the port until everything answers.
READY_SECONDS = 60.0
#: After that, seconds without progress until it fails (movement.py).
STILL_SECONDS = 20.0
#: Maximum time of a start: a large database is copied and upgraded before the port is open.
UPGRADE_SECONDS = 900.0
HUNG_SECONDS = 5.0
STOP_SECONDS = 5.0
#: Time that the programs of a killed supervisor need to exit (process/parent.py), with a margin.
ORPHAN_SECONDS = 2.0
#: Seconds that a start waits for a killed daemon of the same workspace to release port and lock.
TAKEOVER_SECONDS = 20.0
#: Seconds after which a start reports what is missing.
QUIET_SECONDS = 1.0
TAIL_LINES = 20
#: Minimum and requested limit of open files.
FEWEST_FILES, WANTED_FILES = 256, 4_096
_LOOK_SECONDS = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPlan:
    """What a daemon runs: the supervisor's configuration, and the module that prepares the database."""

    config: Path
    migrate: str = "signet.daemon.migrate"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedDaemon:
    """A ready daemon; `is_new` if this call started it, `trouble` describes a damaged database."""

    daemon: Running
    is_new: bool
    trouble: str = ""


def shipped() -> StartPlan:
    return StartPlan(config=deploy_dir() / "supervisord.conf")


def start(
    workspace: Workspace,
    port: int,
    *,
    bind: str | None = None,
    tell: Callable[[str], None],
    plan: StartPlan | None = None,
) -> StartedDaemon:
    """Start the daemon if it does not run, and return when it is ready. It listens on `bind`, by default as before.

    `tell` receives what is missing after a second, and progress about a killed daemon of the same workspace that has
    not exited yet. Raises PortTaken, StartFailed, SignetError if the workspace is not writable, Unavailable if its
    daemon hangs, and what `config.check_start` raises; a failed start leaves nothing running.
    """
    bind = _prepared(workspace, bind)
    log = workspace.log_dir / STARTUP
    files.put_aside(log)
    log.touch(0o600)
    log.chmod(0o600)
    from_byte = log.stat().st_size
    deadline = time.monotonic() + TAKEOVER_SECONDS
    try:
        while True:
            try:
                found = _running_else_free(workspace, bind, port, deadline, tell)
                if found is not None:
                    return _join(workspace, found, tell)
                return _launch(workspace, bind, port, plan or shipped(), tell)
            except _Killed:
                if time.monotonic() > deadline:
                    raise
                tell("the running daemon was killed; a new one is started")
    except _GaveUp as reason:
        raise StartFailed(str(reason), log, _tail(log, from_byte)) from None


def foreground(
    workspace: Workspace,
    port: int,
    *,
    bind: str | None = None,
    tell: Callable[[str], None],
    plan: StartPlan | None = None,
) -> Running:
    """Become the daemon; returns only if one already runs. Raises PortTaken and SignetError."""
    bind = _prepared(workspace, bind)
    deadline = time.monotonic() + TAKEOVER_SECONDS
    if (found := _running_else_free(workspace, bind, port, deadline, tell)) is not None:
        return found
    command = _command(workspace, bind, port, plan or shipped(), "--foreground")
    os.execv(command[0], command)


def stop(workspace: Workspace) -> bool:
    """Stop the daemon, by force after five seconds; return whether one was running."""
    found = record.running(workspace)
    if found is None:
        return False
    if not _end(workspace, found.pid):
        ready.wait_free(found.port, patience_seconds=ORPHAN_SECONDS, bind=found.host)
    record.remove(workspace, found.pid)
    return True


def restart(
    workspace: Workspace,
    port: int | None,
    *,
    default_port: int,
    bind: str | None = None,
    tell: Callable[[str], None],
    plan: StartPlan | None = None,
) -> StartedDaemon:
    """Stop the daemon, even a hung one, and start it, by default on the same port and address."""
    found = record.running(workspace)
    ready.check_free(0, bind=_prepared(workspace, bind))  # what is refused stops nothing
    stop(workspace)
    port = port or (found.port if found else default_port)
    return start(workspace, port, bind=bind, tell=tell, plan=plan)


def status(workspace: Workspace) -> dict[str, object]:
    """Return the state of the daemon; without one `{"running": False}` and the workspace."""
    found = record.running(workspace)
    if found is None:
        return {"running": False, "workspace": str(workspace.root)}
    from signet.daemon.processes import processes

    return {
        "running": True,
        "workspace": str(workspace.root),
        "pid": found.pid,
        "uptime": int(kernel.age_seconds(found.pid)),
        "startedAt": found.startedAt,
        "port": found.port,
        "url": found.url,
        "bind": found.bind,
        "version": found.version,
        "processes": [asdict(process) for process in processes(workspace)],
    }


class _GaveUp(Exception):
    """A start failed; the text is the reason."""


class _Killed(_GaveUp):
    """The awaited daemon was killed, so it could not remove its record."""


def _running_else_free(
    workspace: Workspace, bind: str, port: int, deadline: float, tell: Callable[[str], None]
) -> Running | None:
    """Return the running daemon, or None if the port is free for a new one. Raises PortTaken.

    Waits until `deadline` (monotonic seconds) while a killed daemon of the same workspace still uses the port. Its
    orphaned API is killed if it can be identified.
    """
    told = ""
    # The record may be old, and the port may belong to another program.
    patient_until = time.monotonic() + (ORPHAN_SECONDS if workspace.pid_file.exists() else 0.0)
    while True:
        if (found := record.running(workspace)) is not None:
            if not record.is_moved(found.pid, workspace):
                return found
            tell(
                f"the daemon (PID {found.pid}) was started before the workspace was moved; it is stopped"
            )
            _end(workspace, found.pid)
        try:
            ready.check_free(port, bind=bind)
            return None
        except PortTaken as taken:
            # Another start of the same workspace may have succeeded between the two checks.
            if (found := record.running(workspace)) is not None:
                return found
            orphans = record.orphaned_apis(workspace, port)
            is_ours = orphans or _is_of(workspace, taken)
            if time.monotonic() > (deadline if is_ours else patient_until):
                raise
        said = f"a killed daemon of this workspace still uses port {port}"
        for pid in orphans:
            said += f"; its API (PID {pid}) is stopped"
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not told or orphans:
            tell(told := said)
        time.sleep(_LOOK_SECONDS)


def _is_of(workspace: Workspace, taken: PortTaken) -> bool:
    """Return whether the program on the port claims to serve this workspace."""
    named = taken.facts.get("workspace")
    try:
        return isinstance(named, str) and Path(named).samefile(workspace.root)
    except OSError:
        return False


def _launch(
    workspace: Workspace, bind: str, port: int, plan: StartPlan, tell: Callable[[str], None]
) -> StartedDaemon:
    """Start a supervisor and wait for it; a failure leaves nothing running."""
    pid = _spawn(_command(workspace, bind, port, plan), workspace.log_dir / STARTUP)
    try:
        return _await(workspace, pid, record.host_of(bind), port, tell)
    except BaseException:
        _end(workspace, pid)
        raise


def _join(workspace: Workspace, found: Running, tell: Callable[[str], None]) -> StartedDaemon:
    if kernel.age_seconds(found.pid) < READY_SECONDS:
        try:
            return _await(workspace, None, found.host, found.port, tell)
        except _GaveUp:
            if record.running(workspace) is None:
                raise
    answer = ready.ask(
        found.port, "/health", timeout_seconds=HUNG_SECONDS, host=found.host, own=workspace
    )
    if not answer.status:
        # A living supervisor holds the port, so one that refuses connections is about to exit.
        if _is_gone(workspace, found.pid, 0.0 if answer.is_listening else HUNG_SECONDS):
            raise _Killed("it was killed")
        raise Unavailable(
            f"Daemon (PID {found.pid}) does not answer on port {found.port}. "
            "Replace it with: signet daemon restart",
            "daemon_hung",
            pid=found.pid,
            port=found.port,
        )
    return StartedDaemon(daemon=found, is_new=False)


def _await(
    workspace: Workspace, child: int | None, host: str, port: int, tell: Callable[[str], None]
) -> StartedDaemon:
    """Wait until the daemon is ready; `child` is the process started by this call, or None."""
    began = time.monotonic()
    open_since: float | None = None
    movement: Movement | None = None
    told = ""
    while True:
        if child is not None and (code := _exit_status(child)) is not None:
            if code != record.ALREADY:
                raise _GaveUp("it exited while starting")
            return _follow_winner(workspace, tell)
        if child is None and record.running(workspace) is None:
            # A daemon that was stopped or failed to start has removed its record.
            kind = _Killed if workspace.pid_file.exists() else _GaveUp
            raise kind("it exited while starting")
        answer = ready.ask_ready(workspace, host, port, timeout_seconds=1.0)
        if answer.is_up and (found := record.running(workspace)) is not None:
            return StartedDaemon(daemon=found, is_new=found.pid == child, trouble=answer.trouble)
        now = time.monotonic()
        still = 0.0
        if answer.is_listening:
            open_since = open_since or now
            movement = movement or _movement(workspace)
            still = movement.still_seconds(answer)
        is_patient = open_since is None or now - open_since <= READY_SECONDS
        if (still > STILL_SECONDS and not is_patient) or now - began > UPGRADE_SECONDS:
            raise _GaveUp(f"not ready after {now - began:.0f} s: {answer.what_is_missing}")
        late = re.sub(r"\b(\w{1,20}) is not running", r"the \1", answer.what_is_missing)
        if now - began > QUIET_SECONDS and late != told:
            told = late
            tell(f"Starting: {told} …")
        time.sleep(_LOOK_SECONDS)


def _movement(workspace: Workspace) -> "Movement":
    from signet.daemon.processes import Movement  # a quick start does without its libraries

    return Movement(workspace)


def _follow_winner(workspace: Workspace, tell: Callable[[str], None]) -> StartedDaemon:
    deadline = time.monotonic() + HUNG_SECONDS
    while (found := record.running(workspace)) is None:
        if time.monotonic() > deadline:
            # No supervisor recorded itself: an exiting supervisor still held the lock.
            raise _Killed("another start of this workspace failed")
        time.sleep(_LOOK_SECONDS)
    return _await(workspace, None, found.host, found.port, tell)


def _prepared(workspace: Workspace, bind: str | None) -> str:
    """Create the workspace's folders, and return the listening address; raises Conflict for a remote daemon."""
    connection.check_none(workspace, "signet daemon start")
    _check_limits()
    _make(workspace)
    return _checked_bind(workspace, bind or record.next_bind(workspace, os.environ))


def _check_limits() -> None:
    """Raise the limit of open files as far as allowed; raises SignetError if it is too low."""
    import resource  # Windows has no such call

    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < FEWEST_FILES:
        raise SignetError(
            f"The daemon needs at least {FEWEST_FILES} open files, and this shell allows {most}. "
            "Raise the limit and start again: ulimit -n 1024",
            "too_few_files",
        )
    wanted = WANTED_FILES if most == resource.RLIM_INFINITY else min(WANTED_FILES, most)
    if files != resource.RLIM_INFINITY and files < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _make(workspace: Workspace) -> None:
    try:
        workspace.make()
        trial = workspace.daemon_dir / f"trial-{os.getpid()}"
        trial.write_bytes(b"1")
        trial.unlink()
    except OSError as error:
        path = error.filename or workspace.root
        raise SignetError(
            f"Cannot write {path}: {error.strerror}", "workspace_unusable", path=str(path)
        ) from error


def _checked_bind(workspace: Workspace, bind: str) -> str:
    """Return the listening address, and create the secret of tokens; raises BadSecret and what `check_start` raises."""
    from signet import config
    from signet.config.sections import AuthMode

    if bind and not HOST.fullmatch(bind):
        raise Invalid(f"{bind!r} is not an address to listen on; for every IPv4 address: 0.0.0.0")
    loaded = config.load(workspace, {**os.environ, "SIGNET_BIND": bind})
    config.check_start(loaded, workspace)
    if ":" in loaded.address.bind:
        raise Invalid(f"The daemon listens on IPv4 addresses only, not on {loaded.address.bind}")
    if loaded.settings.auth.mode is not AuthMode.LOCAL:
        tokens.ensure_secret(workspace.auth_secret)
    return loaded.address.bind


def _command(workspace: Workspace, bind: str, port: int, plan: StartPlan, *more: str) -> list[str]:
    where = ["--port", str(port), "--bind", bind]
    fixed = [sys.executable, "-P", "-m", record.SUPERVISE, *where]
    chosen = ["--config", str(plan.config), "--migrate", plan.migrate]
    return [*fixed, *chosen, *more, "--", str(workspace.root)]


def _spawn(command: list[str], log: Path) -> int:
    """Start a process in a new session that writes to the log, and return its ID."""
    return os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )


def _exit_status(pid: int) -> int | None:
    """Return the exit status of a child, None if it is running; collects it."""
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if found else None


def _is_gone(workspace: Workspace, pid: int, patience_seconds: float) -> bool:
    deadline = time.monotonic() + patience_seconds
    while True:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)  # if this process started it
        if record.has_ended(pid, workspace):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_SECONDS)


def _end(workspace: Workspace, pid: int) -> bool:
    """Stop a supervisor and return whether it exited in time; otherwise kill it, and its programs notice."""
    with contextlib.suppress(ProcessLookupError):
        if record.is_supervisor(pid, workspace):
            os.kill(pid, signal.SIGTERM)
        if not _is_gone(workspace, pid, STOP_SECONDS):
            # Its own group also contains the upgrade of the database.
            os.kill(-pid if os.getpgid(pid) == pid else pid, signal.SIGKILL)
            _is_gone(workspace, pid, STOP_SECONDS)
            return False
    return True


def _tail(log: Path, from_byte: int) -> tuple[str, ...]:
    with files.open_file(log) as file:
        file.seek(from_byte)
        return tuple(file.read().decode("utf-8", "replace").splitlines()[-TAIL_LINES:])
