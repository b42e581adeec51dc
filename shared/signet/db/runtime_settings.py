"""SQL of `runtime_settings`: small persistent values shared by processes, by key.

Keys are of the form `subject:name`; the comment at a key names its writer.
"""

from signet.db.transaction import ReadTx, WriteTx

_GET = "SELECT value FROM runtime_settings WHERE key = ?"
_ALL = "SELECT substr(key, ?), value FROM runtime_settings WHERE key >= ? AND key < ? ORDER BY key"
_DROP_ALL = "DELETE FROM runtime_settings WHERE key >= ? AND key < ?"
_PUT = """
INSERT INTO runtime_settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"""


def get(tx: ReadTx, key: str) -> str | None:
    """Return a value, None if not set."""
    value: str | None = tx.value(_GET, (key,))
    return value


def get_number(tx: ReadTx, key: str) -> int:
    """Return a whole number, 0 if not set."""
    return int(get(tx, key) or 0)


def get_all(tx: ReadTx, prefix: str) -> dict[str, str]:
    """Return all values of a subject by the rest of their keys, in order."""
    return dict(tx.tuples(_ALL, (len(prefix) + 1, prefix, _end(prefix))))


def drop_all(tx: WriteTx, prefix: str) -> None:
    """Delete the values of keys with this prefix."""
    tx.run(_DROP_ALL, (prefix, _end(prefix)))


def put(tx: WriteTx, key: str, value: str | int) -> None:
    tx.run(_PUT, (key, str(value)))


def _end(prefix: str) -> str:
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)
