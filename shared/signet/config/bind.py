"""Checks before a daemon starts to listen."""

from signet.config.env import is_loopback
from signet.config.loading import Loaded
from signet.config.sections import AuthMode
from signet.config.security import UnsafeSettings
from signet.errors import Invalid
from signet.paths import Workspace


def check_start(loaded: Loaded, workspace: Workspace) -> None:
    """Refuse to start a daemon that would admit callers whom the user meant to exclude.

    Raises UnsafeSettings if a security setting cannot be read, or if agent.yaml cannot be read in a workspace that has
    tokens. Raises Invalid if auth mode is local and the daemon would listen beyond this machine.
    """
    problem = loaded.error if workspace.auth_secret.exists() else loaded.unsafe
    if problem is not None:
        raise UnsafeSettings(
            f"Refusing to start: {problem}. This decides who may call the daemon: correct it, or remove it to use "
            "the default"
        )
    bind = loaded.address.bind
    if loaded.settings.auth.mode is AuthMode.LOCAL and not is_loopback(bind):
        raise Invalid(
            f"Refusing to listen on {bind}: auth.mode is local, so anyone who can reach it could read everything. "
            "Listen on this machine only with --host 127.0.0.1, or set auth.mode to team or hybrid",
            "unsafe_bind",
            bind=bind,
        )
