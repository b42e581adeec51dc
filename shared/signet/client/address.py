"""Find the daemon to call.

A named workspace beats the environment. Without one the order is SIGNET_DAEMON_URL, SIGNET_HOST and SIGNET_PORT, the
daemon that the workspace is connected to (connection.py), the workspace's own daemon.

An address that the user names is used as named. The workspace's own daemon is reached through its socket, or through
its port once it has proved itself (local.py). SIGNET_PORT, and a SIGNET_HOST on this machine, say on which port that
daemon is; they cannot name the daemon of another workspace.
"""

from collections.abc import Mapping
from typing import NamedTuple

from signet import files
from signet.client import connection
from signet.client.connection import Connection
from signet.config.env import Environment, is_loopback
from signet.paths import Workspace, find_workspace
from signet.text import json_text


class Address(NamedTuple):
    """A daemon's URL; `own` is the workspace whose own daemon has to answer there, None for a named address."""

    url: str
    own: Workspace | None = None


def find_url(path: str | None, environ: Mapping[str, str], environment: Environment) -> str:
    """Return the daemon's URL; raises Invalid for an unreadable connection."""
    elsewhere = connected(path, environ, environment)
    return elsewhere.url if elsewhere else find_address(path, environ, environment).url


def find_address(path: str | None, environ: Mapping[str, str], environment: Environment) -> Address:
    """Return the daemon to call when the workspace is not connected to one elsewhere."""
    if path is None and environment.daemon_url:
        return Address(environment.daemon_url)
    workspace = find_workspace(path, environ)
    if path is None and _is_named(environ):
        is_here = is_loopback(environment.host)
        return Address(environment.address.url, workspace if is_here else None)
    return Address(recorded(workspace) or environment.address.url, workspace)


def connected(
    path: str | None, environ: Mapping[str, str], environment: Environment
) -> Connection | None:
    """Return the connection that applies; None without one, and where the environment names a daemon.

    Raises Invalid.
    """
    if path is None and (environment.daemon_url or _is_named(environ)):
        return None
    return connection.of(find_workspace(path, environ))


def recorded(workspace: Workspace) -> str | None:
    """Return the URL of the daemon that runs or ran last in a workspace, None before the first.

    It may be gone, and its port may be another program's.
    """
    state = json_text.an_object(files.read_small(workspace.state_file) or b"") or {}
    if isinstance(url := state.get("url"), str) and url.startswith("http"):
        return url
    port = (files.read_small(workspace.port_file) or b"").strip()
    return f"http://127.0.0.1:{int(port)}" if port.isdigit() and int(port) < 65_536 else None


def _is_named(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("SIGNET_HOST") or environ.get("SIGNET_PORT"))
