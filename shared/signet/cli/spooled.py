"""Takes what could not be delivered to a daemon that is not this workspace's own: on another machine, say.

The workspace's own daemon looks into the spool by itself (`signet_api/spooled.py`); another one cannot see it. So the
first hook that reaches such a daemon again, `signet-mcp`, `signet connect` and `signet sync` hand over what waits:
oldest first, with the logs in the requests, because that daemon does not have this machine's files. One at a time; a
second one finds nothing to do. What waits for the daemon that the workspace is connected to goes to no other.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from signet.cli import behind
from signet.client import connection
from signet.client.address import recorded
from signet.client.errors import BadAnswer, Unavailable
from signet.client.target import Target
from signet.config.env import is_loopback
from signet.domain.sessions import spool
from signet.domain.sessions.spool import Entry
from signet.domain.transcripts import log_lines
from signet.errors import SignetError
from signet.paths import Workspace
from signet.text import json_text

if TYPE_CHECKING:  # what keeps a call does not load what sends one
    from signet.client.call import Call

#: So much of a log fits into a request.
MOST_SENT = 8 * 1_048_576
#: What is refused for good is not kept for later.
HOPELESS = frozenset({400, 404, 405, 409, 413, 422})
#: Refused to this key, which may be given the right to it: the next ones are tried.
_NOT_ALLOWED = 403
_NAMES = ("SIGNET_DAEMON_URL", "SIGNET_HOST", "SIGNET_PORT")
#: One request may take so long, where nobody waits for it; and so long the look whether somebody is there.
SECONDS, LOOK_SECONDS = 60.0, 5.0

T = TypeVar("T")


def is_own(workspace: Workspace, daemon: Target) -> bool:
    """Return whether a daemon is the workspace's own, which has its files and takes its spool.

    An address that the user names counts as the workspace's own when that is recorded at it.
    """
    if daemon.own is not None:
        return daemon.own == workspace
    own = urlsplit(recorded(workspace) or "")
    host, port = daemon.address
    is_here = is_loopback(own.hostname or "") and is_loopback(host)
    return own.port == port and (is_here or own.hostname == host)


def takes_spool(workspace: Workspace, daemon: Target) -> bool:
    """Return whether a daemon is to be handed what waits: one that somebody has named, and that is not the own one.

    Who happens to hold the default port is not told what was said in another workspace.
    """
    if not spool.is_waiting(workspace.spool_dir):
        return False
    is_named = any(os.environ.get(name) for name in _NAMES)
    return daemon.is_elsewhere or (is_named and not is_own(workspace, daemon))


def address_of(daemon: Target) -> str:
    """Return whose entries a daemon is handed: those that wait for it alone, where a workspace is connected to it."""
    return daemon.url if daemon.is_elsewhere else ""


def waiting(workspace: Workspace, address: str, *, all: bool = False) -> list[Entry]:
    """Return what has settled, or `all` that waits for the daemon of an address (see `address_of`), oldest first."""
    return [one for one in spool.entries(workspace.spool_dir, all=all) if one.daemon == address]


def deliver(workspace: Workspace, daemon: Target) -> int:
    """Hand over what has settled, and what comes meanwhile, until something fails; return how many were taken."""
    if not spool.is_waiting(workspace.spool_dir):
        return 0
    from signet.files import locked

    with suppress(BlockingIOError), locked(workspace.spool_lock, wait=False):
        return _deliver(workspace, daemon._replace(seconds=max(SECONDS, daemon.seconds)))
    return 0


def _deliver(workspace: Workspace, daemon: Target) -> int:
    address, taken, passed = address_of(daemon), 0, set[Path]()
    while found := [one for one in waiting(workspace, address) if one.file not in passed]:
        for entry in found:
            try:
                is_taken = _take(entry, daemon)
            except SignetError:
                return taken
            taken += is_taken
            passed.add(entry.file)
    return taken


def sent_or_kept(call: "Call[T]", daemon: Target, send: "Callable[[Call[T]], T]") -> T | Entry:
    """Return the answer to a save, or the entry in which it waits while the daemon elsewhere is away.

    What waited before it is sent before it. The call needs an idempotency key: nobody knows whether a broken one
    arrived. Raises the refusal of a daemon that is there, and Unavailable.
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
        except (Unavailable, BadAnswer) as error:  # a proxy answers for a daemon that is away
            if "http_status" not in error.facts:  # it is there, and says "later"
                connection.note_away(workspace)
    names = ("X-Signet-Agent-Id", "X-Signet-Actor", "X-Signet-Actor-Type", "X-Signet-Origin")
    headers = {name: daemon.headers[name] for name in names if name in daemon.headers}
    from signet import clock

    body = {"createdAt": clock.to_text(clock.now()), **(call.body or {})}
    return spool.put(
        workspace.spool_dir, call.path, headers, body, daemon=daemon.url, is_settled=True
    )


def deliver_behind(workspace: Workspace, daemon: Target) -> None:
    """Hand over what waits in a process of its own; nothing when there is nothing to hand over."""
    if takes_spool(workspace, daemon):
        behind.begin(workspace, daemon, behind.DELIVER)


def look_behind(workspace: Workspace, daemon: Target) -> None:
    """Look in a process of its own whether a daemon that was away is there again, and hand over what waits."""
    connection.note_away(workspace)  # others need not look meanwhile
    behind.begin(workspace, daemon, behind.LOOK)


def look(workspace: Workspace, daemon: Target) -> bool:
    """Return whether the daemon is there, and note it; what waits is handed over."""
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
    """Return a body with the log that it names in the place of its name, where that can be read.

    Images and the output of tools are left out, and of a long log the oldest lines.
    """
    path = body.get("transcriptPath")
    if not isinstance(path, str) or "transcript" in body:
        return body
    try:
        with Path(path).expanduser().open("rb") as file:
            said = log_lines.newest(log_lines.lines(file), MOST_SENT).decode("utf-8", "replace")
    except (OSError, ValueError, RuntimeError):
        return body
    rest = {name: value for name, value in body.items() if name != "transcriptPath"}
    return {**rest, "transcript": said}


def _take(entry: Entry, daemon: Target) -> bool:
    """Return whether the daemon has an entry now, which is then gone; one that it will never have is put aside.

    Raises SignetError when it may be had later.
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
