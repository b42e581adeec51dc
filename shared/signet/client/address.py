"""Find the daemon to call.

A named workspace takes precedence over the environment. Otherwise the order is SIGNET_DAEMON_URL, SIGNET_HOST and
SIGNET_PORT, the connected daemon (connection.py), the workspace's own daemon.

An address named by the user is used unchanged. The workspace's own daemon is reached through its socket, or through
its port after it has proved its identity (local.py). SIGNET_PORT, and a SIGNET_HOST on this machine, set that
daemon's port; they cannot name the daemon of another workspace.
"""

from collections.abc import Mapping
from typing import NamedTuple

from signet import files
from signet.client import connection
from signet.client.connection import Connection
from signet.config.env import Environment, is_loopback
from signet.paths import Workspace, find_workspace
from signet.text import json_text


class DaemonAddress(NamedTuple):
    """A daemon's URL; `own` is the workspace whose own daemon must answer, None for a named address."""

    url: str
    own: Workspace | None = None


def find_url(path: str | None, environ: Mapping[str, str], environment: Environment) -> str:
    """Return the daemon's URL; raises Invalid for an unreadable connection."""
    elsewhere = connected(path, environ, environment)
    return elsewhere.url if elsewhere else find_address(path, environ, environment).url


def find_address(
    path: str | None, environ: Mapping[str, str], environment: Environment
) -> DaemonAddress:
    """Return the daemon to call if the workspace has no connection."""
    if path is None and environment.daemon_url:
        return DaemonAddress(environment.daemon_url)
    workspace = find_workspace(path, environ)
    if path is None and _is_named(environ):
        is_here = is_loopback(environment.host)
        return DaemonAddress(environment.address.url, workspace if is_here else None)
    return DaemonAddress(recorded(workspace) or environment.address.url, workspace)


def connected(
    path: str | None, environ: Mapping[str, str], environment: Environment
) -> Connection | None:
    """Return the connection in use; None without one, or if the environment names a daemon. Raises Invalid."""
    if path is None and (environment.daemon_url or _is_named(environ)):
        return None
    return connection.connection_of(find_workspace(path, environ))


def recorded(workspace: Workspace) -> str | None:
    """Return the URL of the workspace's current or last daemon, None before the first.

    It may have stopped, and another program may use its port.
    """
    state = json_text.an_object(files.read_small(workspace.state_file) or b"") or {}
    if isinstance(url := state.get("url"), str) and url.startswith("http"):
        return url
    port = (files.read_small(workspace.port_file) or b"").strip()
    return f"http://127.0.0.1:{int(port)}" if port.isdigit() and int(port) < 65_536 else None


def _is_named(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("SIGNET_HOST") or environ.get("SIGNET_PORT"))
