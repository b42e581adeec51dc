"""Own tokens: signed by a program of the daemon's user with the workspace token, for minutes and this daemon only."""

import os
from datetime import datetime, timedelta

from signet.domain.auth import tokens, workspace_token
from signet.domain.auth.secret import BadSecret
from signet.domain.auth.tokens import Claims
from signet.paths import Workspace
from signet.wire.access import Role

HOLDS = timedelta(minutes=15)
#: The subject of a code that opens the dashboard once, and how long it may be exchanged. It is no token.
LOGIN = "login-code"
LOGIN_HOLDS = timedelta(minutes=5)
#: The subject of the dashboard's sessions.
PAGE = "dashboard"


def own_token(
    workspace: Workspace, sub: str, *, now: datetime, role: Role = Role.ADMIN
) -> str | None:
    """Return a token for the daemon of this workspace; None without a daemon or as another user."""
    return _signed(workspace, tokens.claim(sub=sub, role=role, now=now, ttl=HOLDS, own=True))


def login_code(workspace: Workspace, *, now: datetime) -> str | None:
    """Return a code that can be exchanged for a session once; None without a daemon or as another user."""
    return _signed(
        workspace,
        tokens.claim(
            sub=LOGIN, role=Role.ADMIN, now=now, ttl=LOGIN_HOLDS, jti=os.urandom(16).hex(), own=True
        ),
    )


def _signed(workspace: Workspace, claims: Claims) -> str | None:
    try:
        key = workspace_token.read(workspace)
    except (OSError, BadSecret):
        return None
    return tokens.sign(claims, key)
