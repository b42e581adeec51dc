"""Where the daemon is.

A workspace that is named beats the environment, and then only its own daemon will do: a memory must not end up in the
workspace of whoever holds the default port. Without one: SIGNET_DAEMON_URL, SIGNET_HOST and SIGNET_PORT, the daemon of
the workspace that applies, http://127.0.0.1:3850. The daemon of a workspace is the one that it is connected to
(connection.py), else its own. Only SIGNET_DAEMON_URL and a connection may name the daemon of another workspace: what
is found by its port is sent the path of the workspace that is meant, and refuses when it serves another one
(target.py, signet_api/guard.py).
"""

import contextlib
import json
import os
import sys
from collections.abc import Mapping

from signet.client import connection
from signet.client.connection import Connection
from signet.client.errors import DaemonNotRunning
from signet.config.env import Environment
from signet.paths import Workspace, find_workspace


def find_url(path: str | None, environ: Mapping[str, str], environment: Environment) -> str:
    """Return the daemon's address; raises DaemonNotRunning when the workspace `path` has none, and Invalid."""
    if (elsewhere := connected(path, environ, environment)) is not None:
        return elsewhere.url
    if path is not None:
        own = recorded(find_workspace(path, environ))
        if own is None:
            raise DaemonNotRunning(
                f"Daemon is not running. Start it with: signet daemon start --path {path}"
            )
        return own
    if environment.daemon_url:
        return environment.daemon_url
    if _is_named(environ):
        return environment.address.url
    return recorded(find_workspace(None, environ)) or environment.address.url


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
    """Return the address that the workspace's daemon left on disk, if its process still exists."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        state = json.loads(workspace.state_file.read_text("utf-8"))
        if sys.platform != "win32":  # there signal 0 ends a process, and daemons do not run
            os.kill(state["pid"], 0)
        return str(state["url"])
    return None


def _is_named(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("SIGNET_HOST") or environ.get("SIGNET_PORT"))
