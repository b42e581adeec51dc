"""Rows of tokens that were issued or seen, and of requests that count against a rate limit."""

from collections.abc import Sequence
from typing import NamedTuple

from signet.db import ReadTx, WriteTx

_REVOKED_AT = "SELECT revoked_at FROM tokens WHERE jti = ?"
_ADD = """
INSERT INTO tokens (jti, sub, role, scope_json, issued_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (jti) DO NOTHING"""
_DELETE_EXPIRED = "DELETE FROM tokens WHERE expires_at < ?"
_COLUMNS = "jti, sub, role, scope_json, issued_at, expires_at, revoked_at"
_REVOKE = f"""
UPDATE tokens SET revoked_at = COALESCE(revoked_at, ?) WHERE jti = ? RETURNING {_COLUMNS}"""
_NEWEST = f"SELECT {_COLUMNS} FROM tokens ORDER BY issued_at DESC, jti DESC LIMIT ?"

_DELETE_PASSED = "DELETE FROM rate_limit_events WHERE key = ? AND (at <= ? OR at > ?)"
_COUNTED = """
SELECT COUNT(*) AS number, MIN(at) AS oldest
  FROM (SELECT at FROM rate_limit_events WHERE key = ? ORDER BY at DESC LIMIT ?)"""
_COUNT = "INSERT INTO rate_limit_events (key, at) VALUES (?, ?)"
_SWEEP = "DELETE FROM rate_limit_events WHERE at <= ?"
_LAST = "SELECT MAX(rowid) FROM rate_limit_events"
_UNCOUNT = """
DELETE FROM rate_limit_events WHERE rowid =
       (SELECT rowid FROM rate_limit_events WHERE key = ? ORDER BY at DESC LIMIT 1)"""


class TokenRow(NamedTuple):
    """One row of `tokens`; its scope is a JSON object, times are text."""

    jti: str
    sub: str
    role: str
    scope_json: str | None
    issued_at: str
    expires_at: str
    revoked_at: str | None


class Counted(NamedTuple):
    """How many requests count against a limit, and when the oldest of them was made (ms), None without any."""

    number: int
    oldest: int | None


def revoked_at(tx: ReadTx, jti: str) -> list[str | None]:
    """Return when a token was revoked, None where it was not; nothing for a token that was never seen."""
    return [found for (found,) in tx.tuples(_REVOKED_AT, (jti,))]


def add_token(tx: WriteTx, values: Sequence[str | None]) -> None:
    """Insert a token (jti, sub, role, scope, issued, expires) unless its id is known."""
    tx.run(_ADD, values)


def delete_expired(tx: WriteTx, before: str) -> None:
    """Delete the tokens that expired before an instant."""
    tx.run(_DELETE_EXPIRED, (before,))


def revoke(tx: WriteTx, jti: str, at: str) -> TokenRow | None:
    """Set when a token was revoked, unless that is set, and return its row; None when there is none."""
    return tx.row(TokenRow, _REVOKE, (at, jti))


def newest(tx: ReadTx, limit: int) -> list[TokenRow]:
    """Return tokens, latest first."""
    return tx.rows(TokenRow, _NEWEST, (limit,))


def delete_passed(tx: WriteTx, key: str, *, until_ms: int, ahead_ms: int) -> None:
    """Delete the requests of a key made until an instant, and those from a clock that is ahead."""
    tx.run(_DELETE_PASSED, (key, until_ms, ahead_ms))


def counted(tx: ReadTx, key: str, most: int) -> Counted:
    """Return how many of the newest requests of a key count, at most `most`."""
    return tx.rows(Counted, _COUNTED, (key, most))[0]


def count(tx: WriteTx, key: str, at_ms: int) -> int:
    """Insert a request and return the number of its row."""
    tx.run(_COUNT, (key, at_ms))
    return int(tx.value(_LAST))


def uncount(tx: WriteTx, key: str) -> None:
    """Delete the newest request of a key."""
    tx.run(_UNCOUNT, (key,))


def sweep(tx: WriteTx, until_ms: int) -> None:
    """Delete the requests of all keys made until an instant."""
    tx.run(_SWEEP, (until_ms,))
