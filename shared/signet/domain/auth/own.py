"""The token that a program of the workspace's own user signs for itself: who may read the secret needs no other."""

from datetime import datetime, timedelta

from signet.domain.auth import secret, tokens
from signet.domain.auth.secret import BadSecret
from signet.paths import Workspace
from signet.wire.access import Role

#: Longer than any command runs; it has no id, because nothing but the secret could take it back.
HOLDS = timedelta(days=1)


def own_token(workspace: Workspace, sub: str, *, now: datetime) -> str | None:
    """Return an admin token for this workspace; None where there is no secret, or not for this user."""
    try:
        key = secret.read(workspace.auth_secret)
    except (OSError, BadSecret):
        return None
    return tokens.sign(tokens.claim(sub=sub, role=Role.ADMIN, now=now, ttl=HOLDS), key)
