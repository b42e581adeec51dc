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

    def __init__(
        self, message: str | None = None, code: str | None = None, /, **facts: object
    ) -> None:
        doc = (type(self).__doc__ or "").strip().splitlines()
        self.message = message or (doc[0].rstrip(".") if doc else type(self).__name__)
        self.code = code or self.code
        self.facts = facts
        super().__init__(self.message)


class Invalid(SignetError):
    """The request is not valid."""

    kind = Kind.INVALID
    code = "invalid_request"


class NotFound(SignetError):
    """There is no such thing."""

    kind = Kind.NOT_FOUND
    code = "not_found"


class Unauthenticated(SignetError):
    """authentication required"""

    kind = Kind.UNAUTHENTICATED
    code = "unauthenticated"


class Conflict(SignetError):
    """The state does not allow this."""

    kind = Kind.CONFLICT
    code = "conflict"

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


class Forbidden(SignetError):
    """This is not allowed."""

    kind = Kind.FORBIDDEN
    code = "forbidden"


class TooLarge(SignetError):
    """The request is too large."""

    kind = Kind.TOO_LARGE
    code = "too_large"


class TryLater(SignetError):
    """Try again later."""

    @property
    def retry_after(self) -> float | None:
        """Return the seconds that the daemon asks to wait, if given."""
        try:
            return max(0.0, float(str(self.facts.get("retry_after"))))
        except ValueError:
            return None


class Unavailable(TryLater):
    """Not available right now; try again later."""

    kind = Kind.UNAVAILABLE
    code = "unavailable"


class Frozen(Unavailable):
    """Mutations are frozen (kill switch active)."""

    code = "mutations_frozen"


class StorageBusy(Unavailable):
    """The database is locked by another program, or its server does not answer; nothing was written."""

    code = "storage_busy"


class StorageFull(Unavailable):
    """The disk is full or cannot be written; nothing was written."""

    code = "storage_full"


class StorageDamaged(Unavailable):
    """The database is damaged; nothing was written. Restore a backup: signet backup list, then: signet restore FILE."""

    code = "database_damaged"


class StorageMoved(Unavailable):
    """The database file was moved, replaced or deleted; nothing was written. Try again in some seconds."""

    code = "database_moved"


class TooManyFiles(Unavailable):
    """Too many files and connections are open on this machine or in this process; nothing was written."""

    code = "too_many_files"


_OF_SYSTEM: dict[int | None, type[SignetError]] = {
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), TooManyFiles),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EROFS), StorageFull),
}


def of_system(error: OSError) -> SignetError | None:
    """Return our error for the machine's lack of file descriptors or disk space, None for any other error."""
    found = _OF_SYSTEM.get(error.errno)
    return None if found is None else found()


class ProviderDown(SignetError):
    """A model provider cannot be reached or refuses requests at the moment.

    `retry_after_seconds` says when it may be asked again. A job that meets this error waits; it is not charged
    an attempt.
    """

    kind = Kind.UNAVAILABLE
    code = "provider_down"

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


class ProviderBusy(ProviderDown):
    """A model provider has as many calls of ours as it may have at once; it is not down."""

    code = "provider_busy"


class ModelMissing(ProviderDown):
    """The server has no such model, or no such address; only a person can change that."""

    code = "model_missing"


class ModelNotInstalled(ProviderDown):
    """A model for this process has not been downloaded yet; no request was sent."""


class ProviderFailed(SignetError):
    """A model provider answered with an error or an unusable answer; trying again may help."""

    kind = Kind.UNAVAILABLE
    code = "provider_failed"


class ProviderTimeout(ProviderFailed):
    """A model provider did not answer in time (timeout)."""

    code = "provider_timeout"


#: How long a model server that lacks memory is left alone.
EXHAUSTED_SECONDS = 60.0


class ProviderExhausted(ProviderFailed):
    """A model server lacks memory for the model, for this job and others."""


class ProviderRefused(ProviderFailed):
    """A model provider refuses this request (HTTP 4xx)."""

    code = "provider_refused"


class ProviderTooLong(ProviderRefused):
    """A request is longer than the model's context."""


class ProviderCut(ProviderFailed):
    """A model provider's answer broke off."""

    code = "provider_cut"


class ProviderNonsense(ProviderFailed):
    """A model provider sent something that is no answer: nothing, a web page, another format."""

    code = "provider_nonsense"


#: Error codes of a failing provider: with one kind in several jobs, the provider is ill (queue/circuit_breaker.py).
#: While it is, the first ones confirm that it still is.
PROVIDER_ILL = tuple(
    error.code
    for error in (ProviderDown, ProviderFailed, ProviderTimeout, ProviderCut, ProviderNonsense)
)
PROVIDER_FAILURES = (*PROVIDER_ILL[1:], ProviderRefused.code)


class NotNow(SignetError):
    """Settings do not allow this job now; it waits until they do."""

    kind = Kind.UNAVAILABLE
    code = "not_now"


class PermanentJobError(SignetError):
    """This job can never succeed; trying again would not help."""

    kind = Kind.INVALID
    code = "permanent"
