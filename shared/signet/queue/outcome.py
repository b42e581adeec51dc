"""From the error that ended a run to what happens with its job."""

from dramatiq.errors import ActorNotFound, Retry
from dramatiq.middleware import Shutdown

from signet.errors import (
    Frozen,
    Kind,
    NotNow,
    PermanentJobError,
    ProviderBusy,
    ProviderDown,
    ProviderFailed,
    SignetError,
    StorageBusy,
    StorageFull,
)
from signet.queue.deadline import DeadlineExceeded
from signet.queue.finish import End, Outcome
from signet.queue.job_context import Cancelled, LeaseLost

#: How long a job waits, uncharged, when the database itself could not be written.
STORAGE_WAIT_MS = 1_000
#: How long one waits, uncharged, that the settings do not allow; a change of them calls it at once (circuit_breaker).
SETTINGS_WAIT_MS = 600_000
#: How long a job waits, uncharged, while nothing may be changed.
FROZEN_WAIT_MS = 60_000
#: Kinds of our errors that no retry can mend.
_PERMANENT = frozenset({Kind.INVALID, Kind.NOT_FOUND, Kind.TOO_LARGE, Kind.FORBIDDEN})


def of(error: BaseException | None, *, permanent: tuple[type[BaseException], ...] = ()) -> Outcome:
    """Return what becomes of a job whose run ended with this error, None when it ended well.

    `permanent` names further errors that bury the job at once (dramatiq's actor option `throws`).
    """
    if error is None:
        return Outcome(end=End.COMPLETED)
    text = f"{type(error).__name__}: {error}"
    code = error.code if isinstance(error, SignetError) else type(error).__name__
    match error:
        case LeaseLost():
            return Outcome(end=End.FENCED)
        case Cancelled():
            return Outcome(end=End.CANCELLED, code="cancelled", error="cancelled while running")
        case Shutdown():
            return Outcome(end=End.RELEASED)
        case Retry():
            return Outcome(end=End.FAILED, code="retry", error=text, wait_ms=error.delay)
        case ProviderDown():
            wait = error.retry_after_seconds
            wait_ms = None if wait is None else int(wait * 1000)
            return Outcome(
                end=End.POSTPONED,
                code=code,
                error=error.message,
                wait_ms=wait_ms,
                is_provider_down=not isinstance(error, ProviderBusy),
            )
        case ProviderFailed():
            return Outcome(end=End.FAILED, code=code, error=error.message, is_provider_failure=True)
        case StorageBusy() | StorageFull():
            return Outcome(end=End.POSTPONED, code=code, error=text, wait_ms=STORAGE_WAIT_MS)
        case Frozen():
            return Outcome(
                end=End.POSTPONED, code=code, error=error.message, wait_ms=FROZEN_WAIT_MS
            )
        case NotNow():
            return Outcome(
                end=End.POSTPONED, code=code, error=error.message, wait_ms=SETTINGS_WAIT_MS
            )
        case DeadlineExceeded() | TimeoutError():
            return Outcome(end=End.FAILED, code="timeout", error=text)
        case ActorNotFound():
            return Outcome(end=End.PERMANENT, code="unknown_kind", error=text)
        case PermanentJobError():
            return Outcome(end=End.PERMANENT, code=code, error=error.message)
        case SignetError() if error.kind in _PERMANENT:
            return Outcome(end=End.PERMANENT, code=code, error=error.message)
        case _ if permanent and isinstance(error, permanent):
            return Outcome(end=End.PERMANENT, code=code, error=text)
        case _:
            return Outcome(end=End.FAILED, code=code, error=text)
