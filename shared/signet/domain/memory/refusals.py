"""Why a change of a memory is refused; the code is the `status` that clients read."""

from signet.domain.memory.models import Memory
from signet.errors import Kind, SignetError


class Refused(SignetError):
    """The change was refused, and nothing was written."""

    kind = Kind.CONFLICT

    def __init__(self, memory_id: str, version: int | None = None, **facts: object) -> None:
        known = {} if version is None else {"currentVersion": version}
        super().__init__(success=False, id=memory_id, status=self.code, **known, **facts)


class Unknown(Refused):
    """There is no such memory."""

    kind = Kind.NOT_FOUND
    code = "not_found"


class Deleted(Refused):
    """The memory is forgotten; recover it first."""

    code = "deleted"


class AlreadyDeleted(Refused):
    """The memory is forgotten already."""

    code = "already_deleted"


class NotDeleted(Refused):
    """The memory is not forgotten."""

    code = "not_deleted"


class VersionConflict(Refused):
    """The memory has changed since you read it."""

    code = "version_conflict"


class DuplicateContent(Refused):
    """Another memory says the same."""

    code = "duplicate_content_hash"


class PinnedNeedsForce(Refused):
    """The memory is pinned; pass force to forget it."""

    code = "pinned_requires_force"


class ForceDenied(Refused):
    """The pipeline may not forget memories that a person pinned."""

    kind = Kind.FORBIDDEN
    code = "autonomous_force_denied"


class ForgottenValue(Refused):
    """The user forgot or rejected what this text says; `signet forgotten lift` allows it to be saved again."""

    code = "forgotten_value"


class RetentionExpired(Refused):
    """The memory was forgotten too long ago."""

    code = "retention_expired"


def check_version(memory: Memory, expected: int | None) -> None:
    """Raise VersionConflict when the memory is not of the version that the caller has read."""
    if expected is not None and expected != memory.version:
        raise VersionConflict(memory.id, memory.version)
