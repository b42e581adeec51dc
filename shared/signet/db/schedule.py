"""SQL of `beats` and `scheduler_lease`: last runs of periodic tasks, and the leading scheduler."""

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
    """Return the time of each periodic task's last run, in ms since 1970."""
    return dict(tx.tuples(_LAST_RUNS))


def record_run(tx: WriteTx, name: str, at_ms: int, slot: str) -> None:
    """Store the time of a periodic task's run, and the number of its interval."""
    tx.run(_RECORD, (name, at_ms, slot))


def lead(tx: WriteTx, owner: str, at_ms: int) -> int:
    """Store the leading scheduler and return how many have led, this one included."""
    return int(tx.value(_LEAD, (owner, at_ms)))
