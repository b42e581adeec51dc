"""Who may be listened to: beyond this machine only with tokens."""

from signet.config.env import Address, is_loopback
from signet.config.sections import AuthMode, Settings
from signet.errors import Invalid


class UnsafeBind(Invalid):
    """The daemon would be open to others without a token."""

    code = "unsafe_bind"


class UnknownAuthMode(Invalid):
    """auth.mode in agent.yaml is not one of local, team, hybrid."""

    code = "unknown_auth_mode"


def check_bind(settings: Settings, address: Address) -> None:
    """Refuse to start a daemon that others could use without a token.

    Raises UnknownAuthMode, or UnsafeBind when auth mode is local and the daemon would listen beyond loopback.
    """
    if settings.auth.mode is AuthMode.UNKNOWN:
        raise UnknownAuthMode()
    if settings.auth.mode is AuthMode.LOCAL and not is_loopback(address.bind):
        raise UnsafeBind(
            f"Refusing to listen on {address.bind}: auth.mode is local, so anybody who reaches it could read "
            "everything. Unset SIGNET_BIND, or set auth.mode to team or hybrid",
            bind=address.bind,
        )
