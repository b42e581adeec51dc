"""The token that a program of the workspace's own user signs for itself: who may read the secret needs no other."""

from datetime import datetime, timedelta
from uuid import uuid4

from signet.domain.auth import secret, tokens
from signet.domain.auth.secret import BadSecret
from signet.domain.auth.tokens import Claims
from signet.paths import Workspace
from signet.wire.access import Role

#: Longer than any command runs; it has no id, because nothing but the secret could take it back.
HOLDS = timedelta(days=1)
#: Whose a code is that opens the dashboard once, and how long it may be exchanged. It is no token.
LOGIN = "login-code"
LOGIN_HOLDS = timedelta(minutes=5)


def own_token(workspace: Workspace, sub: str, *, now: datetime) -> str | None:
    """Return an admin token for this workspace; None where there is no secret, or not for this user."""
    return _signed(workspace, tokens.claim(sub=sub, role=Role.ADMIN, now=now, ttl=HOLDS))


def login_code(workspace: Workspace, *, now: datetime) -> str | None:
    """Return a code that can be exchanged for a token once; None where there is no secret, or not for this user."""
    return _signed(
        workspace,
        tokens.claim(sub=LOGIN, role=Role.ADMIN, now=now, ttl=LOGIN_HOLDS, jti=uuid4().hex),
    )


def _signed(workspace: Workspace, claims: Claims) -> str | None:
    try:
        key = secret.read(workspace.auth_secret)
    except (OSError, BadSecret):
        return None
    return tokens.sign(claims, key)
