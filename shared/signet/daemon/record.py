"""A daemon's files about itself: `pid` and `state.json` while it runs, `port` permanently.

They are hints, not proof: they outlive a crash, process IDs are reused, and a power cut or a program may damage them. A
daemon runs if a process exists whose command line is the supervisor of this very workspace; if the files do not lead to
it, the kernel's process list does.
"""

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from signet import __version__, clock, files
from signet.config.env import DEFAULT_PORT, HOST, Environment
from signet.errors import Conflict, SignetError
from signet.paths import Workspace
from signet.process import kernel
from signet.text import json_text

SUPERVISE = "signet.daemon.supervise"
LOOPBACK, EVERYWHERE = "127.0.0.1", "0.0.0.0"
#: The exit status of a supervisor that found another one in charge of the workspace.
ALREADY = 3
#: A supervisor older than this works in the folder of its workspace.
BOOT_SECONDS = 10.0


class Running(NamedTuple):
    """A running daemon; `notice` is the message of its start (a database upgrade)."""

    pid: int
    port: int
    url: str
    version: str
    startedAt: str  # named as in the HTTP interface: other programs read the file
    notice: str = ""
    bind: str = LOOPBACK

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or LOOPBACK


def control_socket(workspace: Workspace) -> Path:
    return workspace.runtime_dir / "supervisor.sock"


def write(workspace: Workspace, port: int, bind: str, *, now: datetime, notice: str = "") -> None:
    """Record this process as the workspace's daemon, which listens on `bind`."""
    state = Running(
        pid=os.getpid(),
        port=port,
        url=_url(bind, port),
        version=__version__,
        startedAt=clock.to_text(now),
        notice=notice,
        bind=bind,
    )
    keep_port(workspace, port)
    _replace(workspace.bind_file, bind)
    _replace(workspace.state_file, json.dumps(state._asdict()))
    _replace(workspace.pid_file, str(state.pid))


def keep_port(workspace: Workspace, port: int) -> None:
    """Reserve this port for the workspace's next daemon, because harnesses are configured with it."""
    _replace(workspace.port_file, str(port))


def next_port(workspace: Workspace, environment: Environment) -> int:
    """Return the port of the next daemon: that of the environment, else of the last daemon, 3850 before the first."""
    if environment.port is not None:
        return environment.port
    port = _number(workspace.port_file)
    return port if port is not None and port <= 65_535 else DEFAULT_PORT


def next_bind(workspace: Workspace, environ: Mapping[str, str]) -> str:
    """Return the listening address of the next daemon: SIGNET_BIND, else that of the last daemon, else ""."""
    kept = (files.read_small(workspace.bind_file) or b"").decode("ascii", "replace").strip()
    return environ.get("SIGNET_BIND", "").strip() or (kept if HOST.fullmatch(kept) else "")


def remove(workspace: Workspace, pid: int) -> None:
    """Remove the files unless they describe another process."""
    if _number(workspace.pid_file) in (pid, None):
        for path in (workspace.state_file, workspace.pid_file):
            with contextlib.suppress(OSError):
                path.unlink()


def running(workspace: Workspace) -> Running | None:
    pid = _number(workspace.pid_file)
    if pid is None or not is_supervisor(pid, workspace):
        pid = kernel.lock_holder(workspace.lock_file)
    if pid is None or not is_supervisor(pid, workspace):
        # At most two; of two simultaneous starts the later one is about to give up.
        pid = max(supervisors(workspace), key=kernel.age_seconds, default=None)
    return None if pid is None else _described(workspace, pid)


def supervisors(workspace: Workspace) -> Iterator[int]:
    """Yield the process IDs of all supervisors of this workspace; at most one is expected."""
    return (pid for pid in kernel.pids() if is_supervisor(pid, workspace))


def is_supervisor(pid: int, workspace: Workspace) -> bool:
    """Return whether a process is the supervisor of this workspace, even if the workspace was moved since.

    It works in the workspace's folder. Its path may lead to another folder by now, and counts only while it starts.
    """
    arguments = kernel.command_line(pid)
    if SUPERVISE not in arguments:
        return False
    if _works_in(pid, workspace):
        return True
    folder = kernel.working_folder(pid)
    is_recorded = folder is not None and _number(Workspace(folder).pid_file) == pid
    is_starting = not is_recorded and kernel.age_seconds(pid) < BOOT_SECONDS
    return (folder is None or is_starting) and _leads_to(arguments[-1], workspace)


def is_moved(pid: int, workspace: Workspace) -> bool:
    """Return whether the supervisor of this workspace was started at another path: it stops, or is about to."""
    arguments = kernel.command_line(pid)
    return bool(arguments) and not _leads_to(arguments[-1], workspace)


def _works_in(pid: int, workspace: Workspace) -> bool:
    folder = kernel.working_folder(pid)
    return folder is not None and _leads_to(folder, workspace)


def _leads_to(path: str | Path, workspace: Workspace) -> bool:
    try:
        return Path(path).samefile(workspace.root)
    except OSError:
        return False


def has_ended(pid: int, workspace: Workspace) -> bool:
    """Return whether the supervisor with this process ID has released everything: port, lock, files."""
    if is_supervisor(pid, workspace):
        return False
    if kernel.command_line(pid) != [""]:
        return True
    # An ending process loses its command line first, and its files a moment later, when it becomes a zombie.
    return kernel.state(pid) in ("", "Z", "X")


def orphaned_apis(workspace: Workspace, port: int) -> list[int]:
    """Return the IDs of this workspace's API processes without a supervisor; none without /proc.

    Their standard input is the very socket that listens on `port`, as a supervisor passes it, and they work in the
    workspace folder; `environ` names their supervisor.
    """
    listening = {f"socket:[{row[9]}]" for row in _listeners(port)}
    found = []
    for folder in Path("/proc").glob("[1-9]*"):
        try:
            if (folder / "fd" / "0").readlink().name not in listening:
                continue
        except OSError:
            continue
        pid = int(folder.name)
        if _works_in(pid, workspace) and not is_supervisor(kernel.parent(pid), workspace):
            found.append(pid)
    return found


def listening_addresses(port: int) -> set[str] | None:
    """Return the addresses on which programs listen on a port; None without /proc."""
    if not Path("/proc/net/tcp").exists():
        return None
    return {_address(row[1].partition(":")[0]) for row in _listeners(port)}


def _listeners(port: int) -> Iterator[list[str]]:
    """Yield the rows of the sockets that listen on a port (proc(5), net/tcp: state 0A)."""
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text("ascii").splitlines()[1:]:
                row = line.split()
                if row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port:
                    yield row


def _address(digits: str) -> str:
    import ipaddress

    words = [int(digits[at : at + 8], 16) for at in range(0, len(digits), 8)]
    return str(ipaddress.ip_address(b"".join(word.to_bytes(4, sys.byteorder) for word in words)))


def host_of(bind: str) -> str:
    """Return the address at which programs of this machine reach a daemon that listens on `bind`."""
    return LOOPBACK if bind == EVERYWHERE else bind


def _url(bind: str, port: int) -> str:
    return f"http://{host_of(bind)}:{port}"


def _described(workspace: Workspace, pid: int) -> Running | None:
    """Return a daemon: its address from its command line, the rest from the state file if that describes it."""
    arguments = kernel.command_line(pid)
    if "--port" not in arguments:
        return None  # it has ended meanwhile
    port = int(arguments[arguments.index("--port") + 1])
    bind = arguments[arguments.index("--bind") + 1] if "--bind" in arguments else LOOPBACK
    state = json_text.an_object(files.read_small(workspace.state_file) or b"") or {}
    texts = {
        name: text
        for name in ("version", "startedAt", "notice")
        if state.get("pid") == pid and isinstance(text := state.get(name), str)
    }
    began = clock.to_text(clock.now() - timedelta(seconds=kernel.age_seconds(pid)))
    return Running(
        pid=pid,
        port=port,
        url=_url(bind, port),
        version=texts.get("version", ""),
        startedAt=texts["startedAt"] if clock.parsed(texts.get("startedAt")) else began,
        notice=texts.get("notice", ""),
        bind=bind,
    )


def _number(path: Path) -> int | None:
    """Return the number above 0 in a file, None for any other content."""
    content = files.read_small(path) or b""
    return (
        int(content) if content.strip().isdigit() and len(content) < 20 and int(content) else None
    )


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(text, "utf-8")
    fresh.replace(path)


class PortTaken(Conflict, code="port_taken"):
    """The port is used by another program."""


class StartFailed(SignetError, code="start_failed"):
    """Failed to start daemon."""

    def __init__(self, reason: str, log: Path, tail: tuple[str, ...]) -> None:
        super().__init__(f"Failed to start daemon: {reason}", log=str(log))
        self.log = log
        self.tail = tail
