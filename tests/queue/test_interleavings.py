"""Two workers and a reaper at one job, in every order of their steps.

A step is one transaction on its own process's connection. Each worker claims, extends, ends the lease and then tries
to end it again, as one that slept through everything would. A tick of the reaper is more than half a lease: a lease
that was not extended since the tick before the last one ends.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from signet.db import Database, ReadTx, WriteTx
from signet.queue import NewJob, enqueue, transitions
from signet.queue.retry import End, RunOutcome
from signet.queue.transitions import Lease
from support.database import fresh_database
from support.queue import LEASE_MS, Hands

TICK_MS = LEASE_MS * 6 // 10
#: Time between steps: longer than the wait after a failure.
STEP_MS = 1_600

#: What each of the three does, by the letter that stands for it in an order.
STEPS = {"a": 4, "b": 4, "t": 2}


def orders(left: dict[str, int], so_far: str = "") -> Iterator[str]:
    """Yield every order in which the steps that are left can happen: 10! / (4! 4! 2!) = 3,150 of all."""
    if not any(left.values()):
        yield so_far
    for who, count in left.items():
        if count:
            yield from orders({**left, who: count - 1}, so_far + who)


class Worker:
    """One worker's steps, and what it believes to hold."""

    def __init__(self, db: Database, hands: Hands, name: str, ends: tuple[End, End]) -> None:
        self._db, self._hands, self._name = db, hands, name
        self._held: Lease | None = None
        self.steps: Iterator[Callable[[], bool | None]] = iter(
            [self._claim, self._extend, *(lambda how=how: self._end(how) for how in ends)]
        )

    def _claim(self) -> None:
        hands = self._hands
        taken = self._db.write_quick(
            transitions.claim,
            "light",
            1,
            owner=self._name,
            now=hands.now,
            monotonic_ms=hands.monotonic,
            lease_ms=LEASE_MS,
        )
        self._held = taken[0] if taken else None

    def _extend(self) -> None:
        if self._held is None:
            return
        kept = self._db.write_quick(
            transitions.extend,
            [self._held.job_id],
            owner=self._name,
            monotonic_ms=self._hands.monotonic,
            lease_ms=LEASE_MS,
        )
        assert bool(kept) == self.is_holder()

    def _end(self, how: End) -> bool | None:
        """End the lease; True when the job counts as done by this step."""
        if self._held is None:
            return None
        ours = self.is_holder()
        assert self._db.write_quick(self._settle, self._held, how) == ours
        return ours and how is End.COMPLETED

    def _settle(self, tx: WriteTx, held: Lease, how: End) -> bool:
        outcome = RunOutcome(end=how, code="x", error="x")
        settled = transitions.finish(tx, held, outcome, now=self._hands.now)
        if settled and how is End.COMPLETED:
            tx.run("INSERT INTO runtime_settings (key, value) VALUES (?, '1')", (held.job_id,))
        return settled

    def is_holder(self) -> bool:
        """Return whether the row says that this worker's lease is the one in force."""
        assert self._held is not None
        return self._db.read(transitions.is_held, self._held.job_id, self._held.token)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Database, Database]]:
    path = fresh_database(tmp_path / "m.db")
    mine, yours = Database(path), Database(path)
    yield mine, yours
    mine.close()
    yours.close()


def begin(tx: WriteTx, hands: Hands) -> str:
    tx.run("DELETE FROM memory_jobs")
    tx.run("DELETE FROM runtime_settings")
    return str(enqueue(tx, NewJob(kind="work", queue="light", dedupe_key="one"), now=hands.now))


def look(tx: ReadTx, job_id: str) -> tuple[str, int, int, int]:
    """Return the job's status, token and number of runs, and how many effects were written."""
    row = tx.one("SELECT status, lease_token, runs_total FROM memory_jobs WHERE id = ?", (job_id,))
    assert row is not None
    return row[0], row[1], row[2], tx.value("SELECT COUNT(*) FROM runtime_settings")


def tick(db: Database, hands: Hands) -> None:
    hands.move(TICK_MS)
    db.write_quick(transitions.reap_expired, monotonic_ms=hands.monotonic, now=hands.now)


def follow(pair: tuple[Database, Database], order: str) -> int:
    """Do the steps in this order, check after each, and return how often the job was claimed."""
    mine, yours = pair
    hands = Hands()
    job_id = mine.write_quick(begin, hands)
    programs = {
        "a": Worker(mine, hands, "a", (End.COMPLETED, End.COMPLETED)).steps,
        "b": Worker(yours, hands, "b", (End.FAILED, End.COMPLETED)).steps,
        "t": iter([lambda: tick(mine, hands)] * STEPS["t"]),
    }
    completions = runs = 0
    for who in order:
        hands.move(STEP_MS)
        completions += bool(next(programs[who])())
        status, token, now_runs, effects = mine.read(look, job_id)
        assert token == now_runs, "each claim raises the token, and nothing else does"
        assert 0 <= now_runs - runs <= 1
        assert completions == effects == (status == "completed")
        runs = now_runs
    finish_it(yours, hands, job_id)
    return runs


def finish_it(db: Database, hands: Hands, job_id: str) -> None:
    """Whatever has happened, the job is done or somebody can still do it."""
    hands.move(LEASE_MS)
    tick(db, hands)
    hands.move(LEASE_MS)
    for step in Worker(db, hands, "last", (End.COMPLETED, End.COMPLETED)).steps:
        step()
    assert db.read(look, job_id)[0] == "completed"


def test_no_order_of_two_workers_and_a_reaper_runs_a_job_to_two_ends(
    pair: tuple[Database, Database], engine: str
) -> None:
    every = list(orders(STEPS))
    assert len(every) == 3_150
    # On a server a step takes some round trips: each tenth order is a minute.
    claims = [follow(pair, order) for order in every[:: 10 if engine == "postgres" else 1]]
    assert claims.count(2) > len(claims) / 32, "in many orders one worker takes over from the other"
