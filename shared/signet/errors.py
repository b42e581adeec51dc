"""One tree of errors for the whole product.

Every error has a kind (what sort of refusal it is), a code (stable, for machines) and facts (fields for the
reply and the log). A code needs its class only if code catches it. The text a user reads is the
message; when none is given it is the first line of the class's docstring. Only `signet_api.errors` knows HTTP status
numbers, only the command line knows exit codes.
"""

import errno
from enum import StrEnum
from typing import ClassVar


class Kind(StrEnum):
    """What sort of refusal an error is; HTTP status and exit code follow from it."""

    INVALID = "invalid"
    INCOMPLETE = "incomplete"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    LIMITED = "limited"
    UNAVAILABLE = "unavailable"
    #: another program or service failed
    UPSTREAM = "upstream"
    UNSUPPORTED = "unsupported"
    BROKEN = "broken"


class SignetError(Exception):
    """Something went wrong inside Signet."""

    kind: ClassVar[Kind] = Kind.BROKEN
    code: str = "internal"

    def __init_subclass__(cls, *, kind: Kind | None = None, code: str | None = None) -> None:
        """Set both where a class states them; it inherits the rest."""
        cls.kind, cls.code = kind or cls.kind, code or cls.code

    def __init__(
        self, message: str | None = None, code: str | None = None, /, **facts: object
    ) -> None:
        doc = (type(self).__doc__ or "").strip().splitlines()
        self.message = message or (doc[0].rstrip(".") if doc else type(self).__name__)
        self.code = code or self.code
        self.facts = facts
        super().__init__(self.message)


class Invalid(SignetError, kind=Kind.INVALID, code="invalid_request"):
    """The request is not valid."""


class NotFound(SignetError, kind=Kind.NOT_FOUND, code="not_found"):
    """There is no such thing."""


class Unauthenticated(SignetError, kind=Kind.UNAUTHENTICATED, code="unauthenticated"):
    """authentication required"""


class Conflict(SignetError, kind=Kind.CONFLICT, code="conflict"):
    """The state does not allow this."""

    @property
    def current_version(self) -> int | None:
        """Return the memory's current version."""
        version = self.facts.get("currentVersion")
        return version if isinstance(version, int) else None

    @property
    def duplicate_memory_id(self) -> str | None:
        """Return the ID of the memory that already has this text."""
        memory_id = self.facts.get("duplicateMemoryId")
        return memory_id if isinstance(memory_id, str) else None


class Forbidden(SignetError, kind=Kind.FORBIDDEN, code="forbidden"):
    """This is not allowed."""


class TooLarge(SignetError, kind=Kind.TOO_LARGE, code="too_large"):
    """The request is too large."""


class TryLater(SignetError):
    """Try again later."""

    @property
    def retry_after(self) -> float | None:
        """Return the seconds that the daemon asks to wait, if given."""
        try:
            return max(0.0, float(str(self.facts.get("retry_after"))))
        except ValueError:
            return None


class Unavailable(TryLater, kind=Kind.UNAVAILABLE, code="unavailable"):
    """Not available right now; try again later."""


class Frozen(Unavailable, code="mutations_frozen"):
    """Mutations are frozen (kill switch active)."""


class StorageBusy(Unavailable, code="storage_busy"):
    """The database is locked by another program, or its server does not answer; nothing was written."""


class StorageFull(Unavailable, code="storage_full"):
    """The disk is full or cannot be written; nothing was written."""


class StorageDamaged(Unavailable, code="database_damaged"):
    """The database is damaged; nothing was written. Restore a backup: signet backup list, then: signet restore FILE."""


class StorageMoved(Unavailable, code="database_moved"):
    """The database file was moved, replaced or deleted; nothing was written. Try again in some seconds."""


class TooManyFiles(Unavailable, code="too_many_files"):
    """Too many files and connections are open on this machine or in this process; nothing was written."""


_OF_SYSTEM: dict[int | None, type[SignetError]] = {
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), TooManyFiles),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EROFS), StorageFull),
}


def of_system(error: OSError) -> SignetError | None:
    """Return our error for the machine's lack of file descriptors or disk space, None for any other error."""
    found = _OF_SYSTEM.get(error.errno)
    return None if found is None else found()


class ProviderDown(SignetError, kind=Kind.UNAVAILABLE, code="provider_down"):
    """A model provider cannot be reached or refuses requests at the moment.

    `retry_after_seconds` says when it may be asked again. A job that meets this error waits; it is not charged
    an attempt.
    """

    def __init__(
        self,
        message: str | None = None,
        /,
        *,
        retry_after_seconds: float | None = None,
        **facts: object,
    ) -> None:
        super().__init__(message, retry_after_seconds=retry_after_seconds, **facts)
        self.retry_after_seconds = retry_after_seconds


class ProviderBusy(ProviderDown, code="provider_busy"):
    """A model provider has as many calls of ours as it may have at once; it is not down."""


class ModelMissing(ProviderDown, code="model_missing"):
    """The server has no such model, or no such address; only a person can change that."""


class ModelNotInstalled(ProviderDown):
    """A model for this process has not been downloaded yet; no request was sent."""


class ProviderFailed(SignetError, kind=Kind.UNAVAILABLE, code="provider_failed"):
    """A model provider answered with an error or an unusable answer; trying again may help."""


class ProviderTimeout(ProviderFailed, code="provider_timeout"):
    """A model provider did not answer in time (timeout)."""


#: How long a model server that lacks memory is left alone.
EXHAUSTED_SECONDS = 60.0


class ProviderExhausted(ProviderFailed):
    """A model server lacks memory for the model, for this job and others."""


class ProviderRefused(ProviderFailed, code="provider_refused"):
    """A model provider refuses this request (HTTP 4xx)."""


class ProviderTooLong(ProviderRefused):
    """A request is longer than the model's context."""


class ProviderCut(ProviderFailed, code="provider_cut"):
    """A model provider's answer broke off."""


class ProviderNonsense(ProviderFailed, code="provider_nonsense"):
    """A model provider sent something that is no answer: nothing, a web page, another format."""


#: Error codes of a failing provider: with one kind in several jobs, the provider is ill (queue/circuit_breaker.py).
#: While it is, the first ones confirm that it still is.
PROVIDER_ILL = tuple(
    error.code
    for error in (ProviderDown, ProviderFailed, ProviderTimeout, ProviderCut, ProviderNonsense)
)
PROVIDER_FAILURES = (*PROVIDER_ILL[1:], ProviderRefused.code)


class NotNow(SignetError, kind=Kind.UNAVAILABLE, code="not_now"):
    """Settings do not allow this job now; it waits until they do."""


class PermanentJobError(SignetError, kind=Kind.INVALID, code="permanent"):
    """This job can never succeed; trying again would not help."""
