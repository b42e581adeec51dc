"""A backup, its manifest, and the reasons to refuse one."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from signet import clock
from signet.domain.secrets.vault import Wrapped
from signet.errors import Invalid, SignetError, StorageFull

#: The form of the archive; raised when an earlier version could not read it.
FORMAT = 1
MANIFEST = "manifest.json"
#: No size in bytes, time in milliseconds or number of rows is larger.
_MAX_NUMBER = 1 << 50
_MAX_TEXT_CHARS = 4_096
#: The database's name in an archive and in a workspace.
DATABASE = "memory/memories.db"


class BadTarget(Invalid, code="bad_target"):
    """A backup cannot be written there."""


class NoRoom(StorageFull, code="no_room"):
    """There is not enough room on the disk."""


class BadBackup(SignetError, code="bad_backup"):
    """The file is not a backup that can be restored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveEntry:
    """One file of an archive: its place in the workspace, size, hash and mode."""

    path: str
    bytes: int = 0
    sha256: str = ""
    mode: int = 0o600
    modifiedMs: int = 0

    @classmethod
    def from_json(cls, found: Mapping[str, object]) -> Self:
        """Return the entry that a mapping describes. Raises TypeError and ValueError."""
        made = cls(**found)  # type: ignore[arg-type]  # checked below
        numbers = (made.bytes, made.mode, made.modifiedMs)
        if not all(isinstance(one, str) for one in (made.path, made.sha256)):
            raise TypeError("a file has a path or hash that is no text")
        if not all(type(one) is int and abs(one) < _MAX_NUMBER for one in numbers):
            raise ValueError("a file has a size, mode or time that is out of range")
        if made.bytes < 0:
            raise ValueError("a file has a negative size")
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Something of the workspace that is not in the backup, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The content of an archive; `schema` is empty for a database that this program has not adopted yet.

    `secrets` are encrypted with a passphrase.
    """

    format: int
    version: str
    createdAt: str
    reason: str
    workspace: str
    schema: str | None
    counts: dict[str, int]
    files: tuple[ArchiveEntry, ...]
    leftOut: tuple[LeftOut, ...]
    secrets: Wrapped | None = None

    @property
    def total_bytes(self) -> int:
        """Return the total size of the unpacked files in bytes."""
        return sum(entry.bytes for entry in self.files)

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    def summary(self) -> dict[str, object]:
        """Return the facts for people and programs, without the list of files; `secrets` is their number."""
        found = asdict(self) | {"files": len(self.files), "bytes": self.total_bytes}
        found["secrets"] = self.secrets.count if self.secrets else 0
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
                version=_text(found, "version"),
                createdAt=clock.to_text(clock.parse(_text(found, "createdAt"))),
                reason=_text(found, "reason"),
                workspace=_text(found, "workspace"),
                schema=None if found["schema"] is None else _text(found, "schema"),
                counts={str(name): _count(rows) for name, rows in found["counts"].items()},
                files=tuple(ArchiveEntry.from_json(one) for one in found["files"]),
                leftOut=tuple(LeftOut(**one) for one in found["leftOut"]),
                secrets=Wrapped.from_json(secrets) if (secrets := found.get("secrets")) else None,
            )
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, Invalid) as error:
            raise BadBackup(f"Its {MANIFEST} cannot be read: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """An archive on disk and its contents."""

    path: Path
    bytes: int
    manifest: Manifest

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form: the archive's own path and size, and `contents`."""
        return {"path": str(self.path), "bytes": self.bytes, "contents": self.manifest.summary()}


def _text(found: Mapping[str, object], name: str) -> str:
    value = found[name]
    if not isinstance(value, str) or len(value) > _MAX_TEXT_CHARS:
        raise ValueError(f"{name} is not a short text")
    return "".join(letter for letter in value if letter.isprintable())


def _count(rows: object) -> int:
    if type(rows) is not int or not 0 <= rows < _MAX_NUMBER:
        raise ValueError("a number of rows is out of range")
    return rows


def _check_format(found: Mapping[str, object]) -> None:
    made = found["format"]
    if made != FORMAT:
        raise BadBackup(
            f"It has format {made} (made by Signet {found.get('version')}); this version reads "
            f"format {FORMAT}. Install the newer version again."
        )
