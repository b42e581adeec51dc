"""Tokens that were issued or seen, and which of them were revoked."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from signet import clock
from signet.db import ReadTx, WriteTx, columns
from signet.domain.auth import sql, tokens
from signet.domain.auth.tokens import Claims

#: How long a token is listed after it has expired.
KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedToken:
    """One known token without its signature; times are text."""

    jti: str
    sub: str
    role: str
    scope: dict[str, Any]
    issued_at: str
    expires_at: str
    revoked_at: str | None


def is_revoked(tx: ReadTx, jti: str) -> bool | None:
    """Return whether a token was revoked; None when it was never seen before."""
    found = tx.tuples(sql.REVOKED_AT, (jti,))
    return found[0][0] is not None if found else None


def keep(tx: WriteTx, claims: Claims, *, now: datetime) -> None:
    """Store a token that has an id, and delete those that expired long ago; safe to do twice."""
    tx.run(sql.DELETE_EXPIRED, (clock.to_text(now - KEPT),))
    scope = json.dumps(claims.scope.body())
    times = (tokens.text(claims.iat), tokens.text(claims.exp))
    tx.run(sql.ADD, (claims.jti, claims.sub, claims.role, scope, *times))


def revoke(tx: WriteTx, jti: str, *, now: datetime) -> IssuedToken | None:
    """Revoke a token and return it; None when there is none. The time of the first revocation stays."""
    row = tx.row(sql.TokenRow, sql.REVOKE, (clock.to_text(now), jti))
    return None if row is None else _issued(row)


def newest(tx: ReadTx, *, limit: int) -> list[IssuedToken]:
    """Return the tokens that are known, latest first."""
    return list(map(_issued, tx.rows(sql.TokenRow, sql.NEWEST, (limit,))))


def _issued(row: sql.TokenRow) -> IssuedToken:
    return IssuedToken(
        jti=row.jti,
        sub=row.sub,
        role=row.role,
        scope=columns.json_object(row.scope_json),
        issued_at=row.issued_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
    )
