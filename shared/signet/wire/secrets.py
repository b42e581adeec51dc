"""Secrets."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import delete, get, post


class KeptSecret(TypedDict):
    success: bool
    name: str


class Ran(TypedDict):
    """A command's output, with secret values masked."""

    stdout: str
    stderr: str
    code: int


class Secrets(TypedDict):
    secrets: list[str]


class SecretValue(TypedDict):
    name: str
    value: str


SECRETS = get("/api/secrets", access.ADMIN, Secrets)
_EXEC = access.programs(
    "run a command with secrets in its environment",
    "signet secret exec -s NAME COMMAND",
    for_agents=True,
)
RUN_WITH_SECRETS = post("/api/secrets/exec", _EXEC, Ran)
RUN_WITH_SECRET = post("/api/secrets/{name}/exec", _EXEC, Ran)
SECRET = get(
    "/api/secrets/{name}",
    access.programs("show the value of a secret", "signet secret get NAME", for_peers=True),
    SecretValue,
)
PUT_SECRET = post(
    "/api/secrets/{name}",
    access.programs("store a secret, in place of an earlier value", "signet secret put NAME"),
    KeptSecret,
)
REMOVE_SECRET = delete(
    "/api/secrets/{name}",
    access.programs("delete a secret", "signet secret delete NAME"),
    KeptSecret,
)
