"""Tokens for tests: good ones of every role, and bad ones of every kind."""

from datetime import timedelta

from signet import clock
from signet.domain.auth import tokens
from signet.domain.auth.tokens import NO_SCOPE, TokenScope
from signet.wire.access import Role
from support.http import Api

HOUR = timedelta(hours=1)


def a_token(
    api: Api,
    role: str,
    *,
    sub: str = "ada",
    secret: bytes | None = None,
    age: timedelta = timedelta(0),
    jti: str | None = None,
    scope: TokenScope = NO_SCOPE,
) -> str:
    """Return a token that holds for an hour, signed with the secret of the workspace."""
    claims = tokens.claim(
        sub=sub,
        role=Role(role),
        scope=scope,
        now=clock.now() - age,
        ttl=HOUR,
        jti=jti,
    )
    return tokens.sign(claims, secret or api.state.authority.secret)


def bearer(token: str) -> dict[str, str]:
    """Return the header that carries a token."""
    return {"authorization": f"Bearer {token}"}
