"""Why a change of a memory is refused; the code is the `status` that clients read."""

from signet.domain.memory.models import Memory
from signet.errors import Kind, SignetError


class Refused(SignetError):
    """The change was refused, and nothing was written."""

    def __init__(self, memory_id: str, version: int | None = None, **facts: object) -> None:
        known = {} if version is None else {"currentVersion": version}
        super().__init__(success=False, id=memory_id, status=self.code, **known, **facts)


class Unknown(Refused):
    """There is no such memory."""

    kind = Kind.NOT_FOUND
    code = "not_found"


class Deleted(Refused):
    """The memory is forgotten; recover it first."""

    kind = Kind.CONFLICT
    code = "deleted"


class AlreadyDeleted(Refused):
    """The memory is forgotten already."""

    kind = Kind.CONFLICT
    code = "already_deleted"


class NotDeleted(Refused):
    """The memory is not forgotten."""

    kind = Kind.CONFLICT
    code = "not_deleted"


class VersionConflict(Refused):
    """The memory has changed since you read it."""

    kind = Kind.CONFLICT
    code = "version_conflict"


class DuplicateContent(Refused):
    """Another memory says the same."""

    kind = Kind.CONFLICT
    code = "duplicate_content_hash"


class PinnedNeedsForce(Refused):
    """The memory is pinned; pass force to forget it."""

    kind = Kind.CONFLICT
    code = "pinned_requires_force"


class ForceDenied(Refused):
    """The pipeline may not forget memories that a person pinned."""

    kind = Kind.FORBIDDEN
    code = "autonomous_force_denied"


class ForgottenValue(Refused):
    """The user forgot or rejected what this text says; `signet forgotten lift` allows it to be saved again."""

    kind = Kind.CONFLICT
    code = "forgotten_value"


class RetentionExpired(Refused):
    """The memory was forgotten too long ago."""

    kind = Kind.CONFLICT
    code = "retention_expired"


def check_version(memory: Memory, expected: int | None) -> None:
    """Raise VersionConflict when the memory is not of the version that the caller has read."""
    if expected is not None and expected != memory.version:
        raise VersionConflict(memory.id, memory.version)
