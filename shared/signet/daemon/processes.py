"""Ask a running supervisor about its programs, over its unix socket, and show whether a slow start is getting there."""

import http.client
import socket
import time
import xmlrpc.client
from dataclasses import dataclass, field
from pathlib import Path

from signet.daemon import record
from signet.daemon.ready import Answer
from signet.paths import Workspace
from signet.process import backoff, kernel

#: The supervisor answers in milliseconds; this long only when the machine is on its knees.
ANSWER_SECONDS = 2.0
#: The state of a program that was stopped (SIGSTOP): its supervisor replaces it within seconds.
STALLED = "stalled"


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonProcess:
    """One program of the daemon; `uptime` in seconds, `restarts` since the daemon started.

    `stalls` of these were ordered by the supervisor, because the program stood still; `stall` is the newest reason.
    """

    name: str
    state: str
    pid: int | None
    uptime: int
    restarts: int
    stalls: int
    stall: str


def processes(workspace: Workspace) -> list[DaemonProcess]:
    """Return the programs, by name; empty when the supervisor cannot be reached."""
    question = xmlrpc.client.dumps((), "supervisor.getAllProcessInfo")
    connection = _UnixConnection(record.control_socket(workspace))
    try:
        connection.request("POST", "/RPC2", question, {"Content-Type": "text/xml"})
        ((found,), _) = xmlrpc.client.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, xmlrpc.client.Error):
        return []
    finally:
        connection.close()
    assert isinstance(found, list)
    return sorted((_process(workspace, info) for info in found), key=lambda one: one.name)


def _process(workspace: Workspace, info: dict[str, str | int]) -> DaemonProcess:
    name, pid = str(info["name"]), int(info["pid"])
    last = backoff.last(workspace.runtime_dir, name)
    return DaemonProcess(
        name=name,
        state=STALLED if pid and kernel.state(pid) == "T" else str(info["statename"]).lower(),
        pid=pid or None,
        uptime=int(kernel.age_seconds(pid)) if pid else 0,
        restarts=last.restarts if last else 0,
        stalls=last.stalls if last else 0,
        stall=last.stall if last else "",
    )


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=ANSWER_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


#: Seconds between two looks.
MOVEMENT_SECONDS = 1.0
CRASHES = 3


@dataclass(slots=True)
class Movement:
    """Watches one start; `still_seconds` returns the time without progress."""

    workspace: Workspace
    _seen: object = None
    _moved_at: float = field(default_factory=time.monotonic)
    _looked_at: float = field(default_factory=time.monotonic)

    def still_seconds(self, answer: Answer) -> float:
        """Return the seconds without progress, given the API's current answer."""
        now = time.monotonic()
        if now - self._looked_at >= MOVEMENT_SECONDS:
            self._looked_at = now
            late = _late(processes(self.workspace), answer)
            is_crashing = any(one.restarts >= CRASHES for one in late)
            used = [_processor_seconds(one.pid) for one in late]
            seen = (answer.what_is_missing, used, _log_bytes(self.workspace.log_dir))
            if seen != self._seen and not is_crashing:
                self._seen, self._moved_at = seen, now
        return now - self._moved_at


def _late(found: list[DaemonProcess], answer: Answer) -> list[DaemonProcess]:
    if not answer.status:
        return [one for one in found if one.name == "api"]
    return [one for one in found if f"{one.name} is not running" in answer.what_is_missing]


def _processor_seconds(pid: int | None) -> float:
    found = kernel.activity(pid) if pid else None
    return found.processor_seconds if found else 0.0


def _log_bytes(folder: Path) -> int:
    sizes = 0
    for file in folder.glob("*.log"):
        try:
            sizes += file.stat().st_size
        except FileNotFoundError:
            continue  # renamed meanwhile
    return sizes
