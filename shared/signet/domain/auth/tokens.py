"""Tokens: `base64url(payload) "." base64url(HMAC-SHA256)`, without padding. Pure.

The signature is over the ASCII text of the encoded payload, so a payload is not read before it is known to be ours.
"""

import base64
import binascii
import hashlib
import hmac
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from signet import clock
from signet.errors import Kind, SignetError
from signet.wire.access import Role

#: The end of the year 9999, later than which no text says.
LAST_SECOND = 253_402_300_799
#: The parts of a scope, in the order in which they are checked.
DIMENSIONS = ("project", "agent", "user")


class Unauthenticated(SignetError):
    """authentication required"""

    kind = Kind.UNAUTHENTICATED
    code = "unauthenticated"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenScope:
    """What a token is limited to; a dimension that is None is not limited.

    Either an agent or a user: what is a user's is kept as an agent's is.
    """

    project: str | None = None
    agent: str | None = None
    user: str | None = None

    def body(self) -> dict[str, str]:
        """Return the limits that are set, as the claim `scope`."""
        named = {"project": self.project, "agent": self.agent, "user": self.user}
        return {name: value for name, value in named.items() if value is not None}


NO_SCOPE = TokenScope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The content of a token. `iat` and `exp` are Unix seconds; one without `jti` cannot be revoked by itself.

    `own` marks a token that was signed with the workspace token (own.py).
    """

    sub: str
    role: Role
    scope: TokenScope = NO_SCOPE
    iat: int
    exp: int
    jti: str | None = None
    own: bool = False

    def body(self) -> dict[str, object]:
        """Return the claims as JSON can carry them."""
        named: dict[str, object] = {} if self.jti is None else {"jti": self.jti}
        if self.own:
            named["own"] = True
        return {
            "sub": self.sub,
            "role": self.role,
            "scope": self.scope.body(),
            "iat": self.iat,
            "exp": self.exp,
            **named,
        }


def claim(
    *,
    sub: str,
    role: Role,
    now: datetime,
    ttl: timedelta,
    scope: TokenScope = NO_SCOPE,
    jti: str | None = None,
    own: bool = False,
) -> Claims:
    """Return the claims of a token that is valid from now on, for a second at least."""
    iat = math.floor(now.timestamp())
    return Claims(
        sub=sub,
        role=role,
        scope=scope,
        iat=iat,
        exp=iat + max(1, math.floor(ttl.total_seconds())),
        jti=jti,
        own=own,
    )


def sign(claims: Claims, secret: bytes) -> str:
    """Return the token."""
    payload = _encoded(json.dumps(claims.body(), separators=(",", ":")).encode())
    return f"{payload}.{_encoded(_signature(payload, secret))}"


def verify(token: str, secret: bytes, *, now: datetime) -> Claims:
    """Return what a token says; raises Unauthenticated with the first thing that is wrong."""
    payload, dot, signature = token.partition(".")
    if not dot or not signature:
        raise Unauthenticated("malformed token")
    if not is_signed(token, secret):
        raise Unauthenticated("invalid signature")
    claims = _read(payload)
    if math.floor(now.timestamp()) >= claims.exp:
        raise Unauthenticated("token expired")
    return claims


def is_signed(token: str, secret: bytes) -> bool:
    """Return whether a token carries a signature with this secret; it may have expired."""
    payload, _, signature = token.partition(".")
    expected = _encoded(_signature(payload, secret))
    return hmac.compare_digest(signature.encode(), expected.encode())


def bearer(authorization: str | None) -> str | None:
    """Return the token in an Authorization header; None for every other form of it."""
    scheme, _, token = (authorization or "").partition(" ")
    return token if scheme.lower() == "bearer" and token and " " not in token else None


def scope_of(given: object) -> TokenScope | None:
    """Return a scope from JSON, None when it is none."""
    if not isinstance(given, Mapping) or not set(given) <= set(DIMENSIONS):
        return None
    if not all(isinstance(value, str) and value for value in given.values()):
        return None
    return None if {"agent", "user"} <= set(given) else TokenScope(**given)


def text(seconds: int) -> str:
    """Return Unix seconds, as claims have them, in the form of all times."""
    seconds = max(0, min(seconds, LAST_SECOND))
    return clock.to_text(datetime.fromtimestamp(seconds, UTC))


def _read(payload: str) -> Claims:
    try:
        found = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (binascii.Error, ValueError, RecursionError) as error:
        raise Unauthenticated("malformed payload") from error
    if not isinstance(found, dict):
        raise Unauthenticated("malformed payload")
    iat, exp = _seconds(found.get("iat")), _seconds(found.get("exp"))
    if iat is None or exp is None:
        raise Unauthenticated("missing timestamps")
    sub, role, jti = found.get("sub"), found.get("role"), found.get("jti")
    scope = scope_of(found.get("scope", {}))
    if not isinstance(sub, str) or role not in list(Role) or scope is None:
        raise Unauthenticated("malformed payload")
    return Claims(
        sub=sub,
        role=Role(role),
        scope=scope,
        iat=iat,
        exp=exp,
        jti=jti if isinstance(jti, str) and jti else None,
        own=found.get("own") is True,
    )


def _seconds(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return int(value)


def _signature(payload: str, secret: bytes) -> bytes:
    return hmac.digest(secret, payload.encode(), hashlib.sha256)


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
