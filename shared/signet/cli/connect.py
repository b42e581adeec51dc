"""The client that commands use."""

from signet.client import Signet


def client(path: str | None, *, timeout_seconds: float | None = None) -> Signet:
    """Return a client of the daemon that a command is about, whether it runs or not."""
    return Signet(path=path, actor="cli", actor_type="operator", timeout_seconds=timeout_seconds)
