"""Deliver spooled calls to a daemon other than the workspace's own, such as one on another machine.

The workspace's own daemon reads the spool itself (`signet_api/background.py`); a remote one cannot see it. So the first
hook that reaches a remote daemon again, `signet-mcp`, `signet connect` and `signet sync` deliver waiting calls,
oldest first, with the logs in the requests, because that daemon does not have this machine's files. One process
delivers at a time. Calls that wait for the connected daemon go to no other.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from signet.client import connection
from signet.client.address import recorded
from signet.client.errors import BadAnswer
from signet.client.target import CallTarget
from signet.config.env import is_loopback
from signet.domain.sessions import spool
from signet.domain.sessions.spool import Entry
from signet.errors import SignetError, Unavailable
from signet.paths import Workspace
from signet.text import json_text

if TYPE_CHECKING:
    from signet.client.call import Call

#: Maximum log bytes per request.
MOST_SENT = 8 * 1_048_576
#: Statuses after which a call is not retried.
HOPELESS = frozenset({400, 404, 405, 409, 413, 422})
#: This key lacks the permission but may get it later: try the next calls.
_NOT_ALLOWED = 403
_NAMES = ("SIGNET_DAEMON_URL", "SIGNET_HOST", "SIGNET_PORT")
#: Timeouts of a background delivery, and of the check whether the daemon is reachable.
SECONDS, LOOK_SECONDS = 60.0, 5.0

T = TypeVar("T")


def is_own(workspace: Workspace, daemon: CallTarget) -> bool:
    """Return whether a daemon is the workspace's own, which has its files and reads its spool.

    An address named by the user counts if the workspace's daemon is recorded there.
    """
    if daemon.own is not None:
        return daemon.own == workspace
    own = urlsplit(recorded(workspace) or "")
    host, port = daemon.address
    is_here = is_loopback(own.hostname or "") and is_loopback(host)
    return own.port == port and (is_here or own.hostname == host)


def may_receive_spool(workspace: Workspace, daemon: CallTarget) -> bool:
    """Return whether to deliver spooled calls to a daemon: only to an explicitly named one that is not the
    workspace's own.

    Another program on the default port must not receive a workspace's texts.
    """
    if not spool.is_waiting(workspace.spool_dir):
        return False
    is_named = any(os.environ.get(name) for name in _NAMES)
    return daemon.is_elsewhere or (is_named and not is_own(workspace, daemon))


def address_of(daemon: CallTarget) -> str:
    """Return the address whose entries a daemon receives: only those for the connected daemon, if there is one."""
    return daemon.url if daemon.is_elsewhere else ""


def waiting(workspace: Workspace, address: str, *, all: bool = False) -> list[Entry]:
    """Return entries waiting for the daemon of an address, settled ones or `all`, oldest first."""
    return [one for one in spool.entries(workspace.spool_dir, all=all) if one.daemon == address]


def deliver(workspace: Workspace, daemon: CallTarget, *, all: bool = False) -> int:
    """Deliver settled entries or `all`, including new ones, until one fails; return the number delivered."""
    if not spool.is_waiting(workspace.spool_dir):
        return 0
    from signet.files import locked

    with suppress(BlockingIOError), locked(workspace.spool_lock, wait=False):
        patient = daemon._replace(seconds=max(SECONDS, daemon.seconds))
        return _deliver(workspace, patient, all=all)
    return 0


def _deliver(workspace: Workspace, daemon: CallTarget, *, all: bool) -> int:
    address, taken, passed = address_of(daemon), 0, set[Path]()
    while found := [one for one in waiting(workspace, address, all=all) if one.file not in passed]:
        for entry in found:
            try:
                is_taken = _take(entry, daemon)
            except SignetError:
                return taken
            taken += is_taken
            passed.add(entry.file)
    return taken


def sent_or_kept(call: "Call[T]", daemon: CallTarget, send: "Callable[[Call[T]], T]") -> T | Entry:
    """Return the reply to a save, or its spool entry while the remote daemon is unreachable.

    Earlier entries are sent first. The call needs an idempotency key, because a broken attempt may have arrived.
    Raises a reachable daemon's refusal, and Unavailable.
    """
    if daemon.home is None:
        return send(call)
    workspace, is_behind = Workspace(daemon.home), False
    if waiting(workspace, daemon.url):
        deliver(workspace, daemon)
        is_behind = any(one.route == call.path for one in waiting(workspace, daemon.url))
    if not is_behind:
        try:
            return send(call)
        except (Unavailable, BadAnswer) as error:  # a proxy answers for an unreachable daemon
            if "http_status" not in error.facts:  # reachable, but answers "later"
                connection.note_away(workspace)
    names = ("X-Signet-Agent-Id", "X-Signet-Actor", "X-Signet-Actor-Type", "X-Signet-Origin")
    headers = {name: daemon.headers[name] for name in names if name in daemon.headers}
    from signet import clock

    body = {"createdAt": clock.to_text(clock.now()), **(call.body or {})}
    return spool.put(
        workspace.spool_dir, call.path, headers, body, daemon=daemon.url, is_settled=True
    )


def deliver_behind(workspace: Workspace, daemon: CallTarget) -> None:
    """Start a background delivery if anything waits."""
    if may_receive_spool(workspace, daemon):
        begin(workspace, daemon, DELIVER)


def look_behind(workspace: Workspace, daemon: CallTarget) -> None:
    """Start a background process that checks an unreachable daemon and delivers the spool."""
    connection.note_away(workspace)  # other hooks need not check meanwhile
    begin(workspace, daemon, LOOK)


def check(workspace: Workspace, daemon: CallTarget) -> bool:
    """Check whether the daemon is reachable, record it, and deliver the spool."""
    from signet.client import transport
    from signet.client.call import Call

    call: Call[object] = Call(method="GET", path="/health/live", is_safe=True)
    patient = daemon._replace(connect_seconds=LOOK_SECONDS, seconds=LOOK_SECONDS, only_signet=True)
    try:
        transport.send(patient, call)
    except SignetError:
        connection.note_away(workspace)
        return False
    connection.came_back(workspace)
    deliver(workspace, daemon)
    return True


def with_log(body: Mapping[str, object]) -> Mapping[str, object]:
    """Replace the log's name in a body by its content, if it is readable.

    Omits images, tool output, and the oldest lines of a long log.
    """
    path = body.get("transcriptPath")
    if not isinstance(path, str) or "transcript" in body:
        return body
    from signet.domain.transcripts import log_lines

    try:
        with Path(path).expanduser().open("rb") as file:
            said = log_lines.newest(log_lines.lines(file), MOST_SENT).decode("utf-8", "replace")
    except (OSError, ValueError, RuntimeError):
        return body
    rest = {name: value for name, value in body.items() if name != "transcriptPath"}
    return {**rest, "transcript": said}


def _take(entry: Entry, daemon: CallTarget) -> bool:
    """Deliver an entry and delete it; set a permanently rejected one aside. Return whether it was delivered.

    Raises SignetError if it may be delivered later.
    """
    from signet.client import transport
    from signet.client.call import Call

    call: Call[object] = Call(
        method="POST", path=entry.route, body=with_log(spool.body_to_deliver(entry))
    )
    reply = transport.send(daemon._replace(headers={**daemon.headers, **entry.headers}), call)
    answer = json_text.an_object(reply.body) or {}
    if reply.status in HOPELESS and "error" in answer:
        entry.refuse(str(answer["error"]))
        return False
    if reply.status == _NOT_ALLOWED and "error" in answer:
        return False
    if reply.status >= 400 or not answer:
        raise Unavailable(str(answer.get("error") or f"the daemon answered {reply.status}"))
    entry.remove()
    return True


#: LOOK checks whether the daemon is reachable again; DELIVER sends the spool.
LOOK, DELIVER = "look", "deliver"


def begin(
    workspace: Workspace,
    daemon: CallTarget,
    *steps: str,
    refresh: Sequence[Mapping[str, object]] = (),
) -> None:
    """Start a process for the steps, and refresh the offline copy for each agent and project in `refresh`.

    Does nothing if no process can be started; the next hook tries again.
    """
    import subprocess  # few hooks start background work

    said = {
        "workspace": str(workspace.root),
        "daemon": daemon._replace(home=None)._asdict(),
        "is_elsewhere": daemon.is_elsewhere,
        "steps": steps,
        "refresh": refresh,
    }
    with suppress(OSError):
        program = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,  # readers of the hook's output must see its end
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        assert program.stdin is not None
        with program.stdin as out:
            out.write(json.dumps(said).encode())


def run_behind() -> None:
    """Run the steps named on stdin."""
    from signet.cli import offline

    said = json.loads(sys.stdin.buffer.read())
    workspace = Workspace(Path(said["workspace"]))
    daemon = CallTarget(**said["daemon"])
    if said["is_elsewhere"]:
        daemon = daemon._replace(home=workspace.root)
    for step in said["steps"]:
        (check if step == LOOK else deliver)(workspace, daemon)
    with suppress(SignetError):
        for body in said["refresh"]:
            offline.refresh(workspace, daemon, body)


if __name__ == "__main__":
    run_behind()
