"""Issued tokens: which exist, are used, revoked or redeemed."""

import json
from datetime import datetime, timedelta

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.domain.auth import sql
from signet.domain.auth.tokens import Claims, text
from signet.errors import Unauthenticated
from signet.wire.auth import Token

#: How long a token is listed after it has expired.
KEPT_TIME = timedelta(days=30)


def is_revoked(tx: ReadTx, jti: str) -> bool | None:
    """Return whether a token was revoked; None when it was never seen before."""
    found = tx.tuples(sql.REVOKED_AT, (jti,))
    return found[0][0] is not None if found else None


def keep_issued(tx: WriteTx, claims: Claims, *, now: datetime) -> None:
    """Store a token that has an id, and delete those that expired long ago; safe to do twice."""
    tx.run(sql.DELETE_EXPIRED, (clock.to_text(now - KEPT_TIME),))
    scope = json.dumps(claims.scope.body())
    times = (text(claims.iat), text(claims.exp))
    tx.run(sql.ADD, (claims.jti, claims.sub, claims.role, scope, *times))


def revoke(tx: WriteTx, jti: str, *, now: datetime) -> Token | None:
    """Revoke a token and return it, or None. The time of the first revocation stays."""
    return tx.record(Token, sql.REVOKE, (clock.to_text(now), jti))


def redeem(tx: WriteTx, code: Claims, token: Claims, *, now: datetime) -> None:
    """Take a code back for good and note the token that it is exchanged for; raises Unauthenticated the second time."""
    if code.jti is None or is_revoked(tx, code.jti) is not None:
        raise Unauthenticated("the link was used already")
    keep_issued(tx, code, now=now)
    revoke(tx, code.jti, now=now)
    keep_issued(tx, token, now=now)


def saw(tx: WriteTx, seen: list[tuple[str, datetime]]) -> None:
    """Note when tokens, by their ids, were used; an earlier time changes nothing."""
    for jti, at in seen:
        text = clock.to_text(at)
        tx.run(sql.SEEN, (text, jti, text))


def carry_over(present: ReadTx, staged: WriteTx) -> None:
    """Add the tokens and revocations of one database to another."""
    staged.many(sql.CARRY, present.tuples(sql.ALL))


def newest_tokens(tx: ReadTx, *, limit: int) -> list[Token]:
    """Return the tokens that are known, latest first."""
    return tx.records(Token, sql.NEWEST, (limit,))
