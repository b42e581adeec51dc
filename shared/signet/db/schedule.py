"""When each periodic task last ran, and which scheduler leads: the only SQL of `beats` and `scheduler_lease`."""

from signet.db.transaction import ReadTx, WriteTx

_LAST_RUNS = "SELECT name, last_run_ms FROM beats"
_RECORD = """
INSERT INTO beats (name, last_run_ms, last_slot) VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET last_run_ms = excluded.last_run_ms, last_slot = excluded.last_slot"""
_LEAD = """
INSERT INTO scheduler_lease (name, owner, epoch, until_ms) VALUES ('scheduler', ?, 1, ?)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, epoch = epoch + 1, until_ms = excluded.until_ms
RETURNING epoch"""


def last_runs(tx: ReadTx) -> dict[str, int]:
    """Return when each periodic task last ran, in ms since 1970."""
    return dict(tx.tuples(_LAST_RUNS))


def record_run(tx: WriteTx, name: str, at_ms: int, slot: str) -> None:
    """Store when a periodic task ran, and the number of its interval."""
    tx.run(_RECORD, (name, at_ms, slot))


def lead(tx: WriteTx, owner: str, at_ms: int) -> int:
    """Store which scheduler leads from now on and return how many have led before, this one included."""
    return int(tx.value(_LEAD, (owner, at_ms)))
