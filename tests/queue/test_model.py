"""Any sequence of operations against a model that is a dict."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from signet.db import Database
from signet.queue import transitions
from signet.queue.retry import End
from signet.queue.transitions import Lease
from support.database import fresh_database
from support.queue import LEASE_MS, Hands, add, end, row, take

KEYS = ("a", "b", "c", "d")
OWNERS = ("me", "you")


class Machine(RuleBasedStateMachine):
    """Two workers, a reaper and an operator work on a few targets in any order."""

    @initialize()
    def start(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.db = Database(fresh_database(Path(self.folder.name) / "m.db"))
        self.hands = Hands()
        self.state: dict[str, str] = {}
        self.open_of: dict[str, str] = {}
        self.tokens: dict[str, int] = {}
        self.held: list[tuple[str, Lease]] = []
        self.completions: dict[str, int] = {}

    @rule(key=st.sampled_from(KEYS), priority=st.integers(0, 2), delay=st.sampled_from([0, 5_000]))
    def enqueue(self, key: str, priority: int, delay: int) -> None:
        job_id = add(self.db, self.hands, key, priority=priority, delay_ms=delay)
        is_open = self.state.get(self.open_of.get(key, "")) in ("pending", "leased")
        assert (job_id is None) == is_open
        if job_id:
            self.open_of[key] = job_id
            self.state[job_id] = "pending"
            self.tokens[job_id] = 0

    @rule(owner=st.sampled_from(OWNERS), count=st.integers(1, 3))
    def claim(self, owner: str, count: int) -> None:
        for held in take(self.db, self.hands, count, owner=owner):
            assert self.state[held.job_id] == "pending"
            assert held.token == self.tokens[held.job_id] + 1
            assert held.due_ms <= self.hands.wall
            self.state[held.job_id] = "leased"
            self.tokens[held.job_id] = held.token
            self.held.append((owner, held))
        # Of several suspects in one claim all but the first are given back at once, with a new token.
        for job_id, was in self.state.items():
            found = row(self.db, job_id)
            if was == "pending" and found["crashes"] >= 2:
                assert self.tokens[job_id] <= found["lease_token"] <= self.tokens[job_id] + 1
                self.tokens[job_id] = found["lease_token"]

    @precondition(lambda self: self.held)
    @rule(data=st.data(), how=st.sampled_from(list(End)))
    def finish(self, data: st.DataObject, how: End) -> None:
        if how is End.FENCED:
            return
        _, held = data.draw(st.sampled_from(self.held))
        valid = self.state[held.job_id] == "leased" and self.tokens[held.job_id] == held.token
        cancel_requested = bool(row(self.db, held.job_id)["cancel_requested"])
        assert end(self.db, self.hands, held, how, code="x", error="x") == valid
        if valid:
            found = str(row(self.db, held.job_id)["status"])
            if how is End.COMPLETED:
                assert found == "completed"
                self.completions[held.job_id] = self.completions.get(held.job_id, 0) + 1
            is_cancelled = cancel_requested and how is not End.COMPLETED
            if is_cancelled or how in (End.PERMANENT, End.CANCELLED):
                assert found == "dead"
            elif how in (End.RELEASED, End.POSTPONED):
                assert found == "pending"
            self.state[held.job_id] = found

    @rule(owner=st.sampled_from(OWNERS))
    def owner_dies(self, owner: str) -> None:
        self.db.write(transitions.reap_owner, owner, now=self.hands.now)
        self._reread()

    @rule()
    def expire(self) -> None:
        self.hands.move(LEASE_MS + 1)
        self.db.write(
            transitions.reap_expired, monotonic_ms=self.hands.monotonic, now=self.hands.now
        )
        self._reread()
        assert "leased" not in self.state.values()

    @rule(milliseconds=st.sampled_from([1, 1_500, 31_000]))
    def wait(self, milliseconds: int) -> None:
        self.hands.move(milliseconds)

    @rule(jump=st.sampled_from([3_600_000, -3_600_000]))
    def clock_jumps(self, jump: int) -> None:
        self.hands.wall += jump

    @rule()
    def requeue(self) -> None:
        for job_id in self.db.write(transitions.requeue, now=self.hands.now):
            assert self.state[job_id] == "dead"
            self.state[job_id] = "pending"
            self.open_of[str(row(self.db, job_id)["dedupe_key"]).removeprefix("work:")] = job_id

    @precondition(lambda self: self.state)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        job_id = data.draw(st.sampled_from(sorted(self.state)))
        was = self.state[job_id]
        assert self.db.write(transitions.cancel, job_id, now=self.hands.now) == (
            was in ("pending", "leased")
        )
        if was == "pending":
            self.state[job_id] = "dead"

    @invariant()
    def rows_agree(self) -> None:
        if not hasattr(self, "db"):
            return
        rows = self.db.read(lambda tx: tx.all("SELECT * FROM memory_jobs"))
        assert {found["id"]: found["status"] for found in rows} == self.state
        for found in rows:
            assert found["attempts"] <= found["max_attempts"]
            assert found["lease_token"] == self.tokens[found["id"]]
            assert found["runs_total"] == found["lease_token"]
        assert all(count == 1 for count in self.completions.values())

    def _reread(self) -> None:
        for job_id, was in list(self.state.items()):
            if was == "leased":
                self.state[job_id] = str(row(self.db, job_id)["status"])
                assert self.state[job_id] in ("pending", "dead", "leased")

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()
            self.folder.cleanup()


Machine.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestQueueAgainstItsModel = Machine.TestCase
