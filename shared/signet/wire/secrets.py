"""Secrets, and 1Password as a source of them."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class KeptSecret(TypedDict):
    """A secret that is kept, or is gone."""

    success: bool
    name: str


class Ran(TypedDict):
    """What a command said, without the values of its secrets."""

    stdout: str
    stderr: str
    code: int


class OnePassword(TypedDict):
    """Whether 1Password is connected; `error` says why not although a token is kept."""

    configured: bool
    connected: bool
    vaults: list[dict[str, Any]]
    vaultCount: NotRequired[int]
    error: NotRequired[str]


class ConnectedOnePassword(TypedDict):
    """1Password is connected, and these are its vaults."""

    success: bool
    connected: bool
    vaultCount: int
    vaults: list[dict[str, Any]]


class DisconnectedOnePassword(TypedDict):
    """The token is gone; `existed` says whether there was one."""

    success: bool
    disconnected: bool
    existed: bool


class ImportedSecrets(TypedDict):
    """What was copied out of 1Password; names only."""

    success: bool
    vaultsScanned: int
    itemsScanned: int
    importedCount: int
    skippedCount: int
    errorCount: int
    imported: list[str]
    skipped: list[str]
    errors: list[str]


class Secrets(TypedDict):
    """The names of all secrets, oldest first."""

    secrets: list[str]


class SecretValue(TypedDict):
    """One secret and its value."""

    name: str
    value: str


class Vaults(TypedDict):
    """The vaults that the token of 1Password opens."""

    vaults: list[dict[str, Any]]
    count: int


SECRETS = Operation("GET", "/api/secrets", access.ADMIN, Secrets)
RUN_WITH_SECRETS = Operation("POST", "/api/secrets/exec", access.ADMIN, Ran)
RUN_WITH_SECRET = Operation("POST", "/api/secrets/{name}/exec", access.ADMIN, Ran)
SECRET = Operation("GET", "/api/secrets/{name}", access.ADMIN, SecretValue)
PUT_SECRET = Operation("POST", "/api/secrets/{name}", access.ADMIN, KeptSecret)
REMOVE_SECRET = Operation("DELETE", "/api/secrets/{name}", access.ADMIN, KeptSecret)
ONE_PASSWORD = Operation("GET", "/api/secrets/1password/status", access.ADMIN, OnePassword)
CONNECT_ONE_PASSWORD = Operation(
    "POST", "/api/secrets/1password/connect", access.ADMIN, ConnectedOnePassword
)
DISCONNECT_ONE_PASSWORD = Operation(
    "DELETE", "/api/secrets/1password/connect", access.ADMIN, DisconnectedOnePassword
)
ONE_PASSWORD_VAULTS = Operation("GET", "/api/secrets/1password/vaults", access.ADMIN, Vaults)
IMPORT_FROM_ONE_PASSWORD = Operation(
    "POST", "/api/secrets/1password/import", access.ADMIN, ImportedSecrets
)
