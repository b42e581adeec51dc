"""The rows of `tokens`: what was issued or seen, and what no longer holds."""

import json
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.auth import tokens
from signet.domain.auth.tokens import Claims

#: How long a token is listed after its end.
KEPT = timedelta(days=30)

_KNOWN = "SELECT revoked_at FROM tokens WHERE jti = ?"
_KEEP = """
INSERT INTO tokens (jti, sub, role, scope_json, issued_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (jti) DO NOTHING"""
_FORGET = "DELETE FROM tokens WHERE expires_at < ?"
_REVOKE = """
UPDATE tokens SET revoked_at = COALESCE(revoked_at, ?) WHERE jti = ?
RETURNING jti, sub, role, scope_json, issued_at, expires_at, revoked_at"""
_LISTED = """
SELECT jti, sub, role, scope_json, issued_at, expires_at, revoked_at FROM tokens
 ORDER BY issued_at DESC, jti DESC LIMIT ?"""


def is_revoked(tx: ReadTx, jti: str) -> bool | None:
    """Tell whether a token was revoked; None when it was never seen before."""
    row = tx.one(_KNOWN, (jti,))
    return None if row is None else row[0] is not None


def keep(tx: WriteTx, claims: Claims, *, now: datetime) -> None:
    """Note a token that has an id, and drop those that ended long ago; safe to do twice."""
    tx.run(_FORGET, (clock.to_text(now - KEPT),))
    scope = json.dumps(claims.scope.body())
    times = (tokens.text(claims.iat), tokens.text(claims.exp))
    tx.run(_KEEP, (claims.jti, claims.sub, claims.role, scope, *times))


def revoke(tx: WriteTx, jti: str, *, now: datetime) -> Row | None:
    """Let a token end now, and return its row; None when there is none. The first revocation's time stays."""
    return tx.one(_REVOKE, (clock.to_text(now), jti))


def listed(tx: ReadTx, *, limit: int) -> list[Row]:
    """Return the tokens that are known, latest first."""
    return tx.all(_LISTED, (limit,))
