"""Who am I, and tokens."""

from typing import Any, TypedDict

from signet.wire import access
from signet.wire.access import Quota
from signet.wire.operation import Operation


class WhoAmI(TypedDict):
    """Who the caller is to the daemon; `claims` are those of a token with a role.

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
    """A token, which is shown once; `jti` is what it is taken back by."""

    token: str
    expiresAt: str
    jti: str


class Token(TypedDict):
    """A token that was issued or seen, never the token itself; `sub` is its name. Seen is exact to a minute."""

    jti: str
    sub: str | None
    role: str | None
    scope: dict[str, str]
    issuedAt: str | None
    expiresAt: str | None
    revokedAt: str | None
    lastSeenAt: str | None


class RevokedToken(Token):
    """A token that was taken back."""

    success: bool


class Tokens(TypedDict):
    """Tokens, latest first."""

    tokens: list[Token]
    count: int


class Confirmation(TypedDict):
    """A code that lets the dashboard send one request that the user has confirmed."""

    code: str
    expiresAt: str


class Proof(TypedDict):
    """HMAC-SHA256 of a nonce and the port with the workspace token, in hex."""

    proof: str


WHOAMI = Operation("GET", "/api/auth/whoami", access.KNOWN, WhoAmI)
ISSUE_TOKEN = Operation(
    "POST",
    "/api/auth/token",
    access.programs(
        "create an access token for another caller", "signet auth token create", limit=Quota.ADMIN
    ),
    IssuedToken,
)
CONFIRM = Operation("POST", "/api/auth/confirm", access.KNOWN, Confirmation)
EXCHANGE = Operation("POST", "/api/auth/exchange", access.OPEN, IssuedToken)
PROOF = Operation("GET", "/api/auth/proof", access.OPEN, Proof)
TOKENS = Operation("GET", "/api/auth/tokens", access.ADMIN, Tokens)
REVOKE_TOKEN = Operation(
    "DELETE",
    "/api/auth/tokens/{jti}",
    access.programs("revoke an access token", "signet auth token revoke TOKEN"),
    RevokedToken,
)
