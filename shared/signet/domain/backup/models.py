"""What a backup is, what its manifest says, and why one is refused."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from signet.errors import Invalid, SignetError, StorageFull

#: The form of the archive; raised when an earlier version could not read it.
FORMAT = 1
MANIFEST = "manifest.json"
#: The database's name in an archive and in a workspace.
DATABASE = "memory/memories.db"


class Reason(StrEnum):
    """Why a backup was made."""

    MANUAL = "manual"
    DAILY = "daily"
    BEFORE_FORGET = "before-forget"


class BadTarget(Invalid):
    """A backup cannot be written there."""

    code = "bad_target"


class NoRoom(StorageFull):
    """There is not enough room on the disk."""

    code = "no_room"


class BadBackup(SignetError):
    """The file is not a backup that can be restored."""

    code = "bad_backup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of an archive: its place in the workspace, size, hash and mode; or where a link points to."""

    path: str
    bytes: int = 0
    sha256: str = ""
    mode: int = 0o600
    modifiedMs: int = 0
    link: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Something of the workspace that is not in the backup, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an archive holds; `schema` is None for a database that this program has not adopted yet."""

    format: int
    version: str
    createdAt: str
    reason: str
    workspace: str
    schema: str | None
    counts: dict[str, int]
    files: tuple[Entry, ...]
    leftOut: tuple[LeftOut, ...]

    @property
    def total_bytes(self) -> int:
        """Return how many bytes the files take when they are unpacked."""
        return sum(entry.bytes for entry in self.files)

    def to_json(self) -> str:
        """Return the text of `manifest.json`."""
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    def summary(self) -> dict[str, object]:
        """Return what people and programs ask for, without the list of files."""
        found = asdict(self) | {"files": len(self.files), "bytes": self.total_bytes}
        del found["format"]
        return found

    @classmethod
    def from_json(cls, text: bytes) -> Self:
        """Return the manifest that a text describes. Raises BadBackup."""
        try:
            found = json.loads(text)
            _check_format(found)
            return cls(
                format=found["format"],
                version=str(found["version"]),
                createdAt=str(found["createdAt"]),
                reason=str(found["reason"]),
                workspace=str(found["workspace"]),
                schema=found["schema"] if found["schema"] is None else str(found["schema"]),
                counts={str(name): int(rows) for name, rows in found["counts"].items()},
                files=tuple(Entry(**one) for one in found["files"]),
                leftOut=tuple(LeftOut(**one) for one in found["leftOut"]),
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadBackup(f"Its {MANIFEST} cannot be read: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """An archive on disk and what it holds."""

    path: Path
    bytes: int
    manifest: Manifest

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form: the archive's own path and size, and `contents`."""
        return {"path": str(self.path), "bytes": self.bytes, "contents": self.manifest.summary()}


def _check_format(found: Mapping[str, object]) -> None:
    made = found["format"]
    if made != FORMAT:
        raise BadBackup(
            f"It has format {made} (made by Signet {found.get('version')}); this version reads "
            f"format {FORMAT}. Install the newer version again."
        )
