"""Who may be listened to: beyond this machine only with tokens, and not by guessing whether tokens are wanted."""

from signet.config.env import Address, is_loopback
from signet.config.loading import Loaded
from signet.config.sections import AuthMode, Settings
from signet.errors import Invalid
from signet.paths import Workspace


class UnsafeBind(Invalid):
    """The daemon would be reachable by others without a token."""

    code = "unsafe_bind"


class UnknownAuthMode(Invalid):
    """auth.mode in agent.yaml is not one of local, team, hybrid."""

    code = "unknown_auth_mode"


class UnreadableAuth(Invalid):
    """agent.yaml cannot be read, and this workspace has tokens."""

    code = "unreadable_auth"


def check_readable(loaded: Loaded, workspace: Workspace) -> None:
    """Raise UnreadableAuth when agent.yaml is broken in a workspace that has had tokens; looks at its files.

    The defaults that a broken file leaves (CF-10) would let everybody on this machine in without one.
    """
    if loaded.error is not None and workspace.auth_secret.exists():
        raise UnreadableAuth(
            f"Refusing to start: {loaded.error}. This workspace has tokens, and without the file access "
            "cannot be checked"
        )


def check_bind(settings: Settings, address: Address) -> None:
    """Refuse to start a daemon that others could use without a token.

    Raises UnknownAuthMode, or UnsafeBind when auth mode is local and the daemon would listen beyond loopback.
    """
    if settings.auth.mode is AuthMode.UNKNOWN:
        raise UnknownAuthMode()
    if settings.auth.mode is AuthMode.LOCAL and not is_loopback(address.bind):
        raise UnsafeBind(
            f"Refusing to listen on {address.bind}: auth.mode is local, so anyone who can reach it could read "
            "everything. Unset SIGNET_BIND, or set auth.mode to team or hybrid",
            bind=address.bind,
        )
