"""The remote daemon that a workspace is connected to, and whether it was recently unreachable.

A connected workspace has no daemon, model or database: hooks, `signet-mcp` and commands use the daemon at this
address, with this key. Imports only the standard library, because hooks start in milliseconds.
"""

import json
import time
from contextlib import suppress
from typing import NamedTuple

from signet.config.env import is_loopback
from signet.errors import Conflict, Invalid
from signet.files import read_file
from signet.paths import Workspace

#: Seconds after a failed call during which hooks do not try the daemon again.
AWAY_SECONDS = 5.0
#: Status of a rejected key, and the remedy.
KEY_REFUSED = 401
KEY_HINT = (
    "The key of this machine is no longer valid. Get a new one, then: signet connect URL --key KEY"
)
#: Addresses of a tailnet, which encrypts traffic: Tailscale's ranges and names.
TAILNET = ("100.64.0.0/10", "fd7a:115c:a1e0::/48")
TAILNET_NAMES = ".ts.net"


class Connection(NamedTuple):
    """A daemon's address, its key, and the time (ISO) of the connection."""

    url: str
    key: str | None
    since: str


def connection_of(workspace: Workspace) -> Connection | None:
    """Return a workspace's connection, None if it has its own daemon; raises Invalid."""
    try:
        found = json.loads(read_file(workspace.connection_file))
        return Connection(url=str(found["url"]), key=found["key"], since=str(found["since"]))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Invalid(
            f"{workspace.connection_file} cannot be read ({error}). Connect again: signet connect URL"
            " --key KEY, or use a daemon of this machine: signet disconnect",
            "bad_connection",
        ) from error


def check_none(workspace: Workspace, command: str) -> None:
    """Raise Conflict if a workspace has no local daemon for the command."""
    if (found := connection_of(workspace)) is not None:
        raise Conflict(
            f"`{command}` is about a daemon on this machine; {workspace.root} uses the one at {found.url}.",
            "connected_elsewhere",
            hint="Run it there. To use a daemon here instead: signet disconnect",
        )


def keep(workspace: Workspace, connection: Connection) -> None:
    """Connect a workspace. The file is private, because it contains the key. Raises OSError."""
    from signet.files import replace_file

    workspace.daemon_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileNotFoundError):
        workspace.connection_file.chmod(0o600)  # keeps the file's mode
    replace_file(workspace.connection_file, json.dumps(connection._asdict()).encode())
    came_back(workspace)


def forget(workspace: Workspace) -> None:
    """Delete the connection, if it exists."""
    workspace.connection_file.unlink(missing_ok=True)
    came_back(workspace)


def is_private(url: str) -> bool:
    """Return whether the traffic to an address is private: TLS, this machine, or a tailnet.

    A name counts as a tailnet's if all its addresses do.
    """
    import socket
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "https" or is_loopback(host) or host.endswith(TAILNET_NAMES):
        return True
    try:
        found = {str(one[4][0]).partition("%")[0] for one in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(found) and all(is_loopback(one) or _is_of_tailnet(one) for one in found)


def note_away(workspace: Workspace) -> None:
    with suppress(OSError):
        workspace.away_file.touch(mode=0o600)
        workspace.away_file.touch()


def came_back(workspace: Workspace) -> None:
    """Delete the record that the daemon was unreachable."""
    with suppress(OSError):
        workspace.away_file.unlink(missing_ok=True)


def away_for(workspace: Workspace) -> float | None:
    """Return the seconds since the daemon was unreachable; None if it has answered since, or was never called."""
    try:
        return max(0.0, time.time() - workspace.away_file.stat().st_mtime)
    except OSError:
        return None


def _is_of_tailnet(address: str) -> bool:
    import ipaddress

    found = ipaddress.ip_address(address)
    networks = [ipaddress.ip_network(one) for one in TAILNET]
    return any(found in one for one in networks if one.version == found.version)
