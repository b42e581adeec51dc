"""Who may be listened to: beyond this machine only with tokens, and not by guessing whether tokens are wanted."""

from signet.config.env import Address, is_loopback
from signet.config.loading import Loaded
from signet.config.sections import AuthMode, Settings
from signet.errors import Invalid
from signet.paths import Workspace


class UnknownAuthMode(Invalid):
    """auth.mode in agent.yaml is not one of local, team, hybrid."""

    code = "unknown_auth_mode"


def check_readable(loaded: Loaded, workspace: Workspace) -> None:
    """Raise Invalid when agent.yaml is broken in a workspace that has had tokens; looks at its files.

    The defaults that a broken file leaves (CF-10) would let everybody on this machine in without one.
    """
    if loaded.error is not None and workspace.auth_secret.exists():
        raise Invalid(
            f"Refusing to start: {loaded.error}. This workspace has tokens, and without the file access "
            "cannot be checked",
            "unreadable_auth",
        )


def check_bind(settings: Settings, address: Address) -> None:
    """Refuse to start a daemon that others could use without a token.

    Raises UnknownAuthMode, or Invalid when auth mode is local and the daemon would listen beyond loopback.
    """
    if settings.auth.mode is AuthMode.UNKNOWN:
        raise UnknownAuthMode()
    if settings.auth.mode is AuthMode.LOCAL and not is_loopback(address.bind):
        raise Invalid(
            f"Refusing to listen on {address.bind}: auth.mode is local, so anyone who can reach it could read "
            "everything. Unset SIGNET_BIND, or set auth.mode to team or hybrid",
            "unsafe_bind",
            bind=address.bind,
        )
