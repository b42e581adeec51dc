"""Identity and tokens."""

from typing import Any, TypedDict

from signet.wire import access
from signet.wire.access import Quota
from signet.wire.operation import delete, get, post


class WhoAmI(TypedDict):
    """The caller's identity; `claims` are those of a token with a role.

    `standing`: owner, peer, claims or page (domain/auth/caller.py).
    """

    standing: str
    authenticated: bool
    claims: dict[str, Any] | None
    mode: str
    permissions: list[str]
    trustedLocal: bool
    error: str | None


class IssuedToken(TypedDict):
    """A token, shown once; `jti` is used to revoke it."""

    token: str
    expiresAt: str
    jti: str


class Token(TypedDict):
    """An issued or used token, without the token itself; `sub` is its name. The last use is exact to a minute."""

    jti: str
    sub: str | None
    role: str | None
    scope: dict[str, Any]
    issuedAt: str | None
    expiresAt: str | None
    revokedAt: str | None
    lastSeenAt: str | None


class RevokedToken(Token):
    success: bool


class Tokens(TypedDict):
    tokens: list[Token]
    count: int


class Confirmation(TypedDict):
    """A code that lets the dashboard send one confirmed request."""

    code: str
    expiresAt: str


class Proof(TypedDict):
    """HMAC-SHA256 of a nonce and the port with the workspace token, in hex."""

    proof: str


WHOAMI = get("/api/auth/whoami", access.KNOWN, WhoAmI)
ISSUE_TOKEN = post(
    "/api/auth/token",
    access.programs(
        "create an access token for another caller", "signet auth token create", limit=Quota.ADMIN
    ),
    IssuedToken,
)
CONFIRM = post("/api/auth/confirm", access.KNOWN, Confirmation)
EXCHANGE = post("/api/auth/exchange", access.OPEN, IssuedToken)
PROOF = get("/api/auth/proof", access.OPEN, Proof)
TOKENS = get("/api/auth/tokens", access.ADMIN, Tokens)
REVOKE_TOKEN = delete(
    "/api/auth/tokens/{jti}",
    access.programs("revoke an access token", "signet auth token revoke TOKEN"),
    RevokedToken,
)
