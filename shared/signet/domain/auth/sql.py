"""Rows of tokens that were issued or seen, and of requests that count against a rate limit."""

REVOKED_AT = "SELECT revoked_at FROM tokens WHERE jti = ?"
ADD = """
INSERT INTO tokens (jti, sub, role, scope_json, issued_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (jti) DO NOTHING"""
DELETE_EXPIRED = "DELETE FROM tokens WHERE expires_at < ?"
_COLUMNS = "jti, sub, role, scope_json AS scope, issued_at, expires_at, revoked_at, last_seen_at"
SEEN = "UPDATE tokens SET last_seen_at = ? WHERE jti = ? AND COALESCE(last_seen_at, '') < ?"
REVOKE = f"""
UPDATE tokens SET revoked_at = COALESCE(revoked_at, ?) WHERE jti = ? RETURNING {_COLUMNS}"""
ALL = f"SELECT {_COLUMNS} FROM tokens"
CARRY = """
INSERT INTO tokens (jti, sub, role, scope_json, issued_at, expires_at, revoked_at, last_seen_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (jti) DO UPDATE SET revoked_at = coalesce(revoked_at, excluded.revoked_at),
   last_seen_at = coalesce(excluded.last_seen_at, last_seen_at)"""
NEWEST = f"SELECT {_COLUMNS} FROM tokens ORDER BY issued_at DESC, jti DESC LIMIT ?"

DELETE_PASSED = "DELETE FROM rate_limit_events WHERE key = ? AND (at <= ? OR at > ?)"
#: How many requests count against a limit, and when the oldest of them was made (ms).
COUNTED = """
SELECT COUNT(*), MIN(at)
  FROM (SELECT at FROM rate_limit_events WHERE key = ? ORDER BY at DESC LIMIT ?)"""
COUNT = "INSERT INTO rate_limit_events (key, at) VALUES (?, ?)"
SWEEP = "DELETE FROM rate_limit_events WHERE at <= ?"
LAST = "SELECT MAX(rowid) FROM rate_limit_events"
UNCOUNT = """
DELETE FROM rate_limit_events WHERE rowid =
       (SELECT rowid FROM rate_limit_events WHERE key = ? ORDER BY at DESC LIMIT 1)"""
