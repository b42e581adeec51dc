"""The client that commands use."""

import os

from signet import clock
from signet.client import Signet
from signet.client.address import find_url, recorded
from signet.config.env import read_environment
from signet.paths import find_workspace


def client(path: str | None, *, timeout_seconds: float | None = None) -> Signet:
    """Return a client of the daemon that a command is about, whether it runs or not."""
    return Signet(
        path=path,
        token=own_token(path),
        actor="cli",
        actor_type="operator",
        timeout_seconds=timeout_seconds,
        only_signet=True,
    )


def own_token(path: str | None) -> str | None:
    """Return what whoever may read the workspace's secret need not be given: a token for its own daemon.

    None when SIGNET_TOKEN says who calls, without a secret, and for every other daemon, which must not see it.
    """
    workspace = find_workspace(path)
    environment, _ = read_environment(os.environ)
    if environment.token or not workspace.auth_secret.exists():
        return None
    own = recorded(workspace)
    if own is None or find_url(path, os.environ, environment) != own:
        return None
    from signet.domain.auth import own as signing

    return signing.own_token(workspace, "cli", now=clock.now())
