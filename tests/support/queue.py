"""What the queue's tests share: clocks that a test moves, one claim, one row."""

from dataclasses import dataclass, field
from datetime import datetime

from signet import clock
from signet.clock import Clock
from signet.db import Database, Row, WriteTx
from signet.queue import NewJob, enqueue, transitions
from signet.queue.retry import End, RunOutcome
from signet.queue.transitions import Lease

NOON = datetime.fromisoformat("2026-05-01T12:00:00+00:00")
LEASE_MS = 60_000


@dataclass(slots=True)
class Hands:
    """The clocks of a machine that never sleeps, moved by hand."""

    wall: int = int(NOON.timestamp() * 1000)
    monotonic: int = 1_000_000
    clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = Clock(
            wall_ms=lambda: self.wall,
            monotonic_ms=lambda: self.monotonic,
            elapsed_ms=lambda: self.monotonic,
        )

    def move(self, milliseconds: int) -> None:
        """Let time pass on both clocks."""
        self.wall += milliseconds
        self.monotonic += milliseconds

    @property
    def now(self) -> datetime:
        return clock.ms_to_instant(self.wall)


def add(db: Database, hands: Hands, key: str, **fields: object) -> str | None:
    """Enqueue a job of kind `work`, on queue `light`, for one target."""
    job = NewJob(kind="work", queue="light", dedupe_key=key, **fields)  # type: ignore[arg-type]  # test shorthand
    return db.write(enqueue, job, now=hands.now)


def take(db: Database, hands: Hands, count: int = 1, owner: str = "me", **how: bool) -> list[Lease]:
    """Claim up to `count` jobs of queue `light`."""
    return db.write(
        transitions.claim,
        "light",
        count,
        owner=owner,
        now=hands.now,
        monotonic_ms=hands.monotonic,
        lease_ms=LEASE_MS,
        **how,
    )


def end(db: Database, hands: Hands, held: Lease, how: End, **fields: object) -> bool:
    """End a lease."""
    outcome = RunOutcome(end=how, **fields)  # type: ignore[arg-type]  # test shorthand
    return db.write(transitions.finish, held, outcome, now=hands.now)


def row(db: Database, job_id: str) -> Row:
    """Return a job's row."""
    found = db.read(lambda tx: tx.one("SELECT * FROM memory_jobs WHERE id = ?", (job_id,)))
    assert found is not None
    return found


def statuses(db: Database) -> dict[str, int]:
    """Return how many jobs are in each state."""
    rows = db.read(lambda tx: tx.all("SELECT status, COUNT(*) FROM memory_jobs GROUP BY status"))
    return {found[0]: found[1] for found in rows}


def unreachable(db: Database, living: set[str]) -> list[str]:
    """Return the open jobs that nobody would ever run: neither due at a known time nor held."""
    rows = db.read(
        lambda tx: tx.all(
            "SELECT id, status, due_ms, attempts, max_attempts, lease_owner FROM memory_jobs"
            " WHERE status IN ('pending', 'leased')"
        )
    )
    return [
        found["id"]
        for found in rows
        if (found["status"] == "pending" and found["due_ms"] is None)
        or (found["status"] == "leased" and found["lease_owner"] not in living)
    ]


def plain(tx: WriteTx) -> None:
    """An effect that writes one row."""
    tx.run("INSERT INTO runtime_settings (key, value) VALUES ('effect', '1')")
