"""The daemon client of the commands."""

import os
import shlex
import sys

from signet import ids
from signet.client import Signet, connection
from signet.config.env import AGENT_SHELLS
from signet.paths import find_workspace


def client(path: str | None, *, timeout_seconds: float | None = None) -> Signet:
    """Return a client of the command's daemon, whether it runs or not."""
    return Signet(
        path=path,
        actor="cli",
        actor_type="agent" if is_agent_shell() else "operator",
        origin="agent" if is_agent_shell() else None,
        # One for all requests of a command, so that `signet undo` takes back all of them.
        request_id=ids.new_ordered_id(),
        timeout_seconds=timeout_seconds,
        only_signet=True,
    )


def is_agent_shell() -> bool:
    """Return whether an agent runs this command; harnesses mark the shells of their agents."""
    return any(os.environ.get(name) for name in AGENT_SHELLS)


def check_person(does: str) -> None:
    """Raise NotForAgents if an agent runs this command, naming the command for the user."""
    if is_agent_shell():
        from signet.domain.auth.caller import NotForAgents

        raise NotForAgents(
            f"Agents may not {does}. Ask the user to run: {shlex.join(('signet', *sys.argv[1:]))}"
        )


def running(path: str | None, *, timeout_seconds: float | None = None) -> Signet | None:
    """Return a client: from the environment, of the connected daemon, or of the workspace's own if it runs."""
    from signet.daemon import record

    if path is None and (os.environ.get("SIGNET_DAEMON_URL") or os.environ.get("SIGNET_HOST")):
        return client(None, timeout_seconds=timeout_seconds)
    workspace = find_workspace(path)
    if connection.of(workspace) is not None:
        return client(path, timeout_seconds=timeout_seconds)
    if record.running(workspace) is None:
        return None
    return client(str(workspace.root), timeout_seconds=timeout_seconds)
