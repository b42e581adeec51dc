"""Takes what hooks could not deliver to a daemon that is not this workspace's own: on another machine, say.

The workspace's own daemon looks into the spool by itself (`signet_api/spooled.py`); another one cannot see it. So the
first hook that reaches such a daemon again, and `signet sync`, hand over what waits: oldest first, with the logs in
the requests, because that daemon does not have this machine's files. One at a time; a second one finds nothing to do.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from signet.client import transport
from signet.client.address import recorded
from signet.client.call import Call
from signet.client.target import Target
from signet.config.env import is_loopback
from signet.domain.sessions import spool
from signet.domain.sessions.spool import Entry
from signet.errors import SignetError
from signet.paths import Workspace

#: So much of a log fits into a request.
MOST_SENT = 8 * 1_048_576
#: What is refused for good is not kept for later.
HOPELESS = frozenset({400, 404, 405, 409, 413})
_NAMES = ("SIGNET_DAEMON_URL", "SIGNET_HOST", "SIGNET_PORT")
#: One request may take so long, where nobody waits for it.
SECONDS = 60.0


def is_own(workspace: Workspace, daemon: Target) -> bool:
    """Return whether a daemon is the workspace's own, which has its files and takes its spool."""
    own = urlsplit(recorded(workspace) or "")
    host, port = daemon.address
    is_here = is_loopback(own.hostname or "") and is_loopback(host)
    return own.port == port and (is_here or own.hostname == host)


def takes_spool(workspace: Workspace, daemon: Target) -> bool:
    """Return whether a daemon is to be handed what waits: one that somebody has named, and that is not the own one.

    Who happens to hold the default port is not told what was said in another workspace.
    """
    is_named = any(os.environ.get(name) for name in _NAMES)
    return is_named and spool.is_waiting(workspace.spool_dir) and not is_own(workspace, daemon)


def deliver(workspace: Workspace, daemon: Target) -> int:
    """Hand over what has settled until something fails, and return how many were taken."""
    taken = 0
    with _alone(workspace.spool_dir) as is_alone:
        for entry in spool.entries(workspace.spool_dir) if is_alone else ():
            try:
                if not _take(entry, replace(daemon, seconds=SECONDS)):
                    break
            except SignetError:
                break
            entry.remove()
            taken += 1
    return taken


def deliver_behind(workspace: Workspace, daemon: Target) -> None:
    """Do that in a process of its own, for which nobody waits; nothing when there is nothing to hand over."""
    if not takes_spool(workspace, daemon) or os.fork():
        return
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):  # whoever reads the hook's output must see its end
            os.dup2(null, stream)
        deliver(workspace, daemon)
    finally:
        os._exit(0)


def with_log(body: Mapping[str, object]) -> Mapping[str, object]:
    """Return a body with the end of the log that it names in the place of its name, where that can be read."""
    path = body.get("transcriptPath")
    if not isinstance(path, str) or "transcript" in body:
        return body
    try:
        with Path(path).expanduser().open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - MOST_SENT))
            said = file.read(MOST_SENT).decode("utf-8", "replace")
    except (OSError, ValueError, RuntimeError):
        return body
    rest = {name: value for name, value in body.items() if name != "transcriptPath"}
    return {**rest, "transcript": said}


def answer_of(body: bytes) -> dict[str, object]:
    """Return the JSON object of an answer, an empty one for anything else."""
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _take(entry: Entry, daemon: Target) -> bool:
    """Return whether the daemon has an entry, or will never have it."""
    call: Call[object] = Call(
        method="POST", path=entry.route, body=with_log(spool.body_to_deliver(entry))
    )
    reply = transport.send(replace(daemon, headers={**daemon.headers, **entry.headers}), call)
    answer = answer_of(reply.body)
    if reply.status >= 400:
        return reply.status in HOPELESS and "error" in answer
    return bool(answer)


@contextmanager
def _alone(folder: Path) -> Iterator[bool]:
    """Yield whether nobody else delivers from a folder now."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield True
            return
        yield False
    finally:
        os.close(handle)
