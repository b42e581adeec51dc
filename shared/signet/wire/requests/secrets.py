"""Secrets: keep one, run a command with some, connect 1Password."""

from pydantic import Field

from signet.wire.requests.model import Body, spelled


class SecretBody(Body):
    """A value to keep."""

    value: str = Field(min_length=1)


class ExecBody(Body):
    """A command, and which variable gets which secret (or `op://` reference)."""

    command: str = ""
    secrets: dict[str, str] = Field(default_factory=dict)
    timeout_ms: int | None = spelled("timeoutMs", "timeout_ms")


class ConnectBody(Body):
    """The token of a 1Password service account."""

    token: str = ""


class SecretsImportBody(Body):
    """Which vaults of 1Password to import, and under which names."""

    vaults: list[str] | None = None
    prefix: str = "OP"
    overwrite: bool = False
    token: str | None = None
