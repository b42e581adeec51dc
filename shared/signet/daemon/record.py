"""What a daemon leaves on disk about itself: its files `pid` and `state.json` while it runs, `port` for good.

The first two are a hint and never a proof, because they outlive a crash and process ids are used again. A daemon
runs when the process exists and its command line is the supervisor of this very workspace.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from signet import __version__, clock
from signet.config.env import DEFAULT_PORT, Environment
from signet.paths import Workspace
from signet.process.program import SUPERVISOR_PID

SUPERVISE = "signet.daemon.supervise"
LOOPBACK, EVERYWHERE = "127.0.0.1", "0.0.0.0"
#: The exit status of a supervisor that found another one in charge of the workspace.
ALREADY = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A daemon that runs; `notice` is what its start had to say (a database upgrade)."""

    pid: int
    port: int
    url: str
    version: str
    startedAt: str  # named as in the HTTP interface: other programs read the file
    notice: str = ""

    @property
    def host(self) -> str:
        """Return the address that this machine reaches it at."""
        return urlsplit(self.url).hostname or LOOPBACK


def control_socket(workspace: Workspace) -> Path:
    """Return the socket on which the supervisor takes orders."""
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
    )
    keep_port(workspace, port)
    _replace(workspace.state_file, json.dumps(asdict(state)))
    _replace(workspace.pid_file, str(state.pid))


def keep_port(workspace: Workspace, port: int) -> None:
    """Let the next daemon of a workspace have this port, too: harnesses are connected to it."""
    _replace(workspace.port_file, str(port))


def next_port(workspace: Workspace, environment: Environment) -> int:
    """Return the port of the next daemon: that of the environment, else of the last daemon, 3850 before the first."""
    if environment.port is not None:
        return environment.port
    with contextlib.suppress(OSError, ValueError):
        return int(workspace.port_file.read_text("utf-8"))
    return DEFAULT_PORT


def remove(workspace: Workspace, pid: int) -> None:
    """Remove the files if they are about this process id."""
    if _pid(workspace) == pid:
        for path in (workspace.state_file, workspace.pid_file):
            path.unlink(missing_ok=True)


def running(workspace: Workspace) -> Running | None:
    """Return the daemon of a workspace, None when it does not run."""
    pid = _pid(workspace)
    if pid is None or not is_supervisor(pid, workspace):
        return None
    try:
        state = Running(**json.loads(workspace.state_file.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return _from_command_line(pid)
    return state if state.pid == pid else _from_command_line(pid)


def is_supervisor(pid: int, workspace: Workspace) -> bool:
    """Return whether a process exists and is the supervisor of this workspace."""
    arguments = _command_line(pid)
    if SUPERVISE not in arguments:
        return False
    try:
        return Path(arguments[-1]).samefile(workspace.root)
    except OSError:
        return False


def has_ended(pid: int, workspace: Workspace) -> bool:
    """Return whether the supervisor that had this process id has let go of everything: port, lock, files."""
    if is_supervisor(pid, workspace):
        return False
    if _command_line(pid) != [""]:
        return True
    # A process that is ending loses its command line first and its files a moment later, as it becomes a zombie.
    try:
        state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in "ZX"


def orphaned_apis(workspace: Workspace, port: int) -> list[int]:
    """Return the ids of API processes of this workspace whose supervisor is gone; none where there is no /proc.

    They are those that have the very socket that listens on `port` as their standard input, as a supervisor hands it
    over; `environ` says by whom and for which workspace.
    """
    listening = _listening(port)
    found = []
    for folder in Path("/proc").glob("[1-9]*"):
        try:
            if (folder / "fd" / "0").readlink().name not in listening:
                continue
            pairs = (one.partition(b"=") for one in (folder / "environ").read_bytes().split(b"\0"))
            values = {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}
            supervisor = values.get(SUPERVISOR_PID, "")
            is_ours = supervisor.isdigit() and Path(values["SIGNET_PATH"]).samefile(workspace.root)
        except (OSError, KeyError):
            continue
        if is_ours and not is_supervisor(int(supervisor), workspace):
            found.append(int(folder.name))
    return found


def _listening(port: int) -> set[str]:
    """Return the names, as in /proc, of the sockets that listen on a port (proc(5), net/tcp: state 0A)."""
    names = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/net/{table}").read_text("ascii").splitlines()[1:]:
                field = line.split()
                if field[3] == "0A" and int(field[1].rpartition(":")[2], 16) == port:
                    names.add(f"socket:[{field[9]}]")
    return names


def _from_command_line(pid: int) -> Running | None:
    """Return what the process itself shows, for when somebody removed its state file."""
    arguments = _command_line(pid)
    if "--port" not in arguments:
        return None
    port = int(arguments[arguments.index("--port") + 1])
    bind = arguments[arguments.index("--bind") + 1] if "--bind" in arguments else LOOPBACK
    began = clock.to_text(datetime.fromtimestamp(0, UTC))
    return Running(pid=pid, port=port, url=_url(bind, port), version="", startedAt=began)


def host_of(bind: str) -> str:
    """Return where programs of this machine find a daemon that listens on `bind`."""
    return LOOPBACK if bind == EVERYWHERE else bind


def _url(bind: str, port: int) -> str:
    return f"http://{host_of(bind)}:{port}"


def _command_line(pid: int) -> Sequence[str]:
    if sys.platform == "linux":
        try:
            raw = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return ()
        return [os.fsdecode(part) for part in raw.removesuffix(b"\0").split(b"\0")]
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True)
    before, found, root = os.fsdecode(shown.stdout).strip().partition(" -- ")
    return [*before.split(), root] if found else ()


def _pid(workspace: Workspace) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        pid = int(workspace.pid_file.read_text("utf-8"))
        return pid if pid > 0 else None
    return None


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(text, "utf-8")
    fresh.replace(path)
