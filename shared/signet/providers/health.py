"""Whether a provider may be asked, and what came of asking.

The breaker is a pure value that the caller keeps, in a database row shared by all processes: read it, ask
`before_call`, store what comes back, all in one transaction.

    closed ──(told to wait, or FAILURES in a row)──> open ──(wait over)──> half-open ──success──> closed
                                                      ^                        │
                                                      └────────failure─────────┘

Half-open lets one call through; the others go on waiting. A caller that dies in that call does not block the
breaker: after TRIAL_MS the next one may try.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from signet.clock import SYSTEM, Clock
from signet.errors import ProviderTimeout, SignetError

#: More than one job has attempts, so that one job that always fails cannot stop the others.
FAILURES = 5
#: The wait after FAILURES in a row, when the provider does not name one: doubled each time the trial fails.
FIRST_WAIT_MS = 2_000
LONGEST_WAIT_MS = 60_000
#: The longest call that is configurable (extraction.timeout).
TRIAL_MS = 300_000
#: Two processes may read the clock in another order than they write the row; more than that is a changed clock.
CLOCK_SLACK_MS = 5_000


class State(StrEnum):
    """Closed lets calls through, open does not, half-open lets one through."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """What is known of one provider; a new one is closed.

    `failures` counts those in a row, `trips` the openings since the last success, `since_ms` is when `state`
    began and `retry_at_ms` when the next call may try.
    """

    state: State = State.CLOSED
    failures: int = 0
    trips: int = 0
    since_ms: int = 0
    retry_at_ms: int = 0

    def before_call(self, now_ms: int) -> "Admission":
        """Return whether a call may start now, and the breaker to keep."""
        went_back = now_ms < self.since_ms - CLOCK_SLACK_MS
        if self.state is State.CLOSED:
            return Admission(allowed=True, breaker=self)
        if now_ms < self.retry_at_ms and not went_back:
            return Admission(allowed=False, breaker=self)
        trial = replace(self, state=State.HALF_OPEN, since_ms=now_ms, retry_at_ms=now_ms + TRIAL_MS)
        return Admission(allowed=True, breaker=trial)

    def on_success(self) -> "Breaker":
        """Return the breaker after an answer: closed, everything forgiven."""
        return Breaker()

    def on_failure(self, now_ms: int, retry_after_seconds: float | None) -> "Breaker":
        """Return the breaker after an error; `retry_after_seconds` is what a ProviderDown says, else None."""
        failed = replace(self, failures=self.failures + 1)
        told = retry_after_seconds is not None
        if self.state is State.CLOSED and not told and failed.failures < FAILURES:
            return failed
        # Calls that were under way when it opened end one by one; they are no further trips.
        trips = self.trips if self.state is State.OPEN else self.trips + 1
        wait_ms = (
            round(retry_after_seconds * 1000)
            if retry_after_seconds is not None
            else min(FIRST_WAIT_MS * 2 ** min(trips - 1, 16), LONGEST_WAIT_MS)
        )
        retry_at_ms = now_ms + wait_ms
        if self.state is State.OPEN:
            retry_at_ms = max(retry_at_ms, self.retry_at_ms)
        return replace(
            failed, state=State.OPEN, trips=trips, since_ms=now_ms, retry_at_ms=retry_at_ms
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Whether a call may start, and the breaker to keep; refused calls may ask again at its `retry_at_ms`."""

    allowed: bool
    breaker: Breaker


class Outcome(StrEnum):
    """What came of one call to a provider; the words that are stored and shown."""

    SUCCESS = "success"
    FAILURE = "failure"
    TIMEOUT = "timeout"


def outcome_of(error: SignetError) -> Outcome:
    """Return the outcome that a call which raised this error is recorded as."""
    return Outcome.TIMEOUT if isinstance(error, ProviderTimeout) else Outcome.FAILURE


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The record of one call to a provider."""

    provider: str
    outcome: Outcome
    at_ms: int
    took_ms: int
    error: str | None


@contextmanager
def recorded(provider: str, keep: Callable[[Call], None], clock: Clock = SYSTEM) -> Iterator[None]:
    """Hand exactly one record of the call in the block to `keep`, also when the block is interrupted (DG-15)."""
    at_ms, started_ms = clock.wall_ms(), clock.monotonic_ms()
    outcome, message = Outcome.FAILURE, None
    try:
        yield
        outcome = Outcome.SUCCESS
    except SignetError as error:
        outcome, message = outcome_of(error), error.message
        raise
    finally:
        took_ms = clock.monotonic_ms() - started_ms
        keep(Call(provider=provider, outcome=outcome, at_ms=at_ms, took_ms=took_ms, error=message))
