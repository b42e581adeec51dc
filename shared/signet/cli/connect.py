"""The client that commands use."""

from signet.client import Signet


def client(path: str | None) -> Signet:
    """Return a client of the daemon that a command is about, whether it runs or not."""
    return Signet(path=path, actor="cli", actor_type="operator")
