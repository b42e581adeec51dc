"""How a job's run ended, and what an error means for the job: retry, postpone or bury."""

import random
from dataclasses import dataclass
from enum import StrEnum

from signet.errors import (
    EXHAUSTED_SECONDS,
    Frozen,
    Kind,
    NotNow,
    PermanentJobError,
    ProviderBusy,
    ProviderDown,
    ProviderExhausted,
    ProviderFailed,
    SignetError,
    StorageBusy,
    StorageFull,
)

#: The wait after a failure (JOB-10): min(1000 * 2^n, 30000) ms plus 0..500 ms of jitter, for each job.
BASE_MS = 1_000
CAP_MS = 30_000
JITTER_MS = 500
#: The same after a failure of a model.
PROVIDER_BASE_MS, PROVIDER_CAP_MS = 15_000, 240_000
#: The wait of a job that was running at two deaths of its process, and the number of deaths that bury it.
CRASH_BASE_MS = 30_000
MAX_CRASHES = 5
#: How long a job waits, without using an attempt, if the database could not be written.
STORAGE_WAIT_MS = 1_000
#: How long a job waits, without using an attempt, if the settings do not allow it; changing them makes it due
#: (circuit_breaker.py).
SETTINGS_WAIT_MS = 600_000
#: How long a job waits, without using an attempt, while changes are frozen.
FROZEN_WAIT_MS = 60_000
#: Kinds of our errors that no retry can fix.
_PERMANENT = frozenset({Kind.INVALID, Kind.NOT_FOUND, Kind.TOO_LARGE, Kind.FORBIDDEN})


class End(StrEnum):
    """How a run of a job ended; also the `outcome` label of the metrics."""

    COMPLETED = "completed"
    FAILED = "failed"
    PERMANENT = "permanent"
    POSTPONED = "postponed"
    RELEASED = "released"
    CRASHED = "crashed"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    FENCED = "fenced"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOutcome:
    """The end of one run: result, reason, and the wait before a retry (None: the usual backoff)."""

    end: End
    code: str = ""
    error: str = ""
    wait_ms: int | None = None
    #: The queue in which a job waits from now on, None for the one it came from.
    queue: str | None = None
    #: Whether a provider refused work: its queue then stops (see circuit_breaker.py).
    is_provider_down: bool = False
    #: Whether a provider answered with an error, or not in time: its fault or the job's (see circuit_breaker.py). With
    #: a wait, its queue stops for that time, and the job uses up an attempt.
    is_provider_failure: bool = False


class LeaseLost(SignetError, code="lease_lost"):
    """Another worker has this job now; nothing was written."""


class Cancelled(SignetError, code="cancelled"):
    """This job was cancelled."""


def outcome_of(
    error: BaseException | None, *, permanent: tuple[type[BaseException], ...] = ()
) -> RunOutcome:
    """Return the outcome of a run that ended with this error, None for success.

    `permanent` lists further errors that bury the job at once.
    """
    if error is None:
        return RunOutcome(end=End.COMPLETED)
    text = f"{type(error).__name__}: {error}"
    code = error.code if isinstance(error, SignetError) else type(error).__name__
    match error:
        case LeaseLost():
            return RunOutcome(end=End.FENCED)
        case Cancelled():
            return RunOutcome(end=End.CANCELLED, code="cancelled", error="cancelled while running")
        case ProviderDown():
            wait = error.retry_after_seconds
            return RunOutcome(
                end=End.POSTPONED,
                code=code,
                error=error.message,
                wait_ms=None if wait is None else int(wait * 1000),
                is_provider_down=not isinstance(error, ProviderBusy),
            )
        case ProviderFailed():
            exhausted = isinstance(error, ProviderExhausted)
            return RunOutcome(
                end=End.FAILED,
                code=code,
                error=error.message,
                wait_ms=int(EXHAUSTED_SECONDS * 1000) if exhausted else None,
                is_provider_failure=True,
            )
        case StorageBusy() | StorageFull():
            return RunOutcome(end=End.POSTPONED, code=code, error=text, wait_ms=STORAGE_WAIT_MS)
        case Frozen() | NotNow():
            wait_ms = FROZEN_WAIT_MS if isinstance(error, Frozen) else SETTINGS_WAIT_MS
            return RunOutcome(end=End.POSTPONED, code=code, error=error.message, wait_ms=wait_ms)
        case TimeoutError():
            return RunOutcome(end=End.FAILED, code="timeout", error=text)
        case PermanentJobError():
            return RunOutcome(end=End.PERMANENT, code=code, error=error.message)
        case SignetError() if error.kind in _PERMANENT:
            return RunOutcome(end=End.PERMANENT, code=code, error=error.message)
        case _ if isinstance(error, permanent):
            return RunOutcome(end=End.PERMANENT, code=code, error=text)
        case _:
            return RunOutcome(end=End.FAILED, code=code, error=text)


def delay_ms(attempts: int, jitter: float, *, base_ms: int = BASE_MS, cap_ms: int = CAP_MS) -> int:
    """Return the wait in milliseconds after the given attempt (1 = the first); `jitter` is in [0, 1)."""
    doublings = min(max(attempts - 1, 0), 20)
    return int(min(base_ms * 2**doublings, cap_ms) + jitter * JITTER_MS)


def after_failure(attempts: int, *, is_provider: bool = False) -> int:
    """Return `delay_ms` with random jitter, so that jobs that failed together do not retry together.

    Failures of a model last longer than our own: it is loading, lacks memory, or repeats its previous answer.
    """
    if is_provider:
        return delay_ms(attempts, random.random(), base_ms=PROVIDER_BASE_MS, cap_ms=PROVIDER_CAP_MS)
    return delay_ms(attempts, random.random())


def after_crash(crashes: int) -> int:
    """Return the wait (ms) of a job whose process died: none the first time, then 30 s, doubled twice each time.

    The first death may have any cause, and its job runs again at once. A job that was running at two deaths is suspect
    and runs alone from then on; the waits are long enough for a machine that kills processes for lack of memory.
    """
    return 0 if crashes <= 1 else CRASH_BASE_MS * 4 ** min(crashes - 2, 3)
