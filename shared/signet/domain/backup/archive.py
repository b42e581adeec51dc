"""Files of a backup, which of them are accepted, and the archive format."""

import contextlib
import hashlib
import os
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Self

from signet.domain.backup.models import (
    DATABASE,
    MANIFEST,
    ArchiveEntry,
    BadBackup,
    LeftOut,
    Manifest,
)
from signet.errors import NotFound
from signet.paths import Workspace

#: The folder of secrets, and the vault in it; a backup contains it only under a passphrase.
SECRETS, VAULT = ".secrets", ".secrets/secrets.enc"
DAEMON, GIT = ".daemon", ".git"
#: Files of `.daemon` that belong to the memories, not to this machine or this run.
STATE = ("last-synthesis.json",)
#: The names at the top of a workspace that hold memories; everything else decides how agents and Signet behave.
MEMORIES = ("memory", *(f"{DAEMON}/{name}" for name in STATE))
_HIDDEN = frozenset({".gitignore", *(f"{DAEMON}/{name}" for name in STATE)})
#: Folders and files of these names are made again by the programs that need them.
CACHES = frozenset({"__pycache__", ".cache", "node_modules", ".DS_Store"})

#: Suffixes of the database's other files.
_DATABASE_FILES = frozenset(
    ("", *"-wal -shm -journal .gate .gate.next .migrate.lock .mark .damage .rescued".split())
)

MAX_FILES = 500_000
MAX_DEPTH, MAX_NAME_BYTES, MAX_PATH_BYTES = 32, 255, 1_024

_WHY = {
    GIT: "git repositories are not part of a backup: push yours to a remote",
    SECRETS: "secrets are not in a backup unless you ask for it: signet backup --secrets",
    DAEMON: "keys and runtime files stay on their machine",
}


def refusal(path: str) -> str | None:
    """Return why a restore does not write this path, None if it does. Pure."""
    if path in _HIDDEN:
        return None
    if path != DATABASE and is_of_database(path):
        return "SQLite would apply it to the database; the database is in a backup as a whole"
    first, *_ = parts = path.split("/")
    if why := _WHY.get(first.lower()):
        return why
    if any(_is_hidden(part) for part in parts):
        return "hidden files are not part of a backup"
    if any(unicodedata.category(letter) == "Cc" for letter in path):
        return "its name contains a control character"
    is_long = len(path.encode()) > MAX_PATH_BYTES or len(parts) > MAX_DEPTH
    if is_long or any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        return "its path is too long"
    return None


def is_of_database(path: str) -> bool:
    """Return whether a file is the database or belongs to it: log, locks, copies of earlier schemas."""
    name = unicodedata.normalize("NFC", _visible(path)).lower()
    rest = name.removeprefix(DATABASE)
    return name.startswith(DATABASE) and (
        rest in _DATABASE_FILES or rest.startswith((".bak-", "-mj"))
    )


def check_paths(paths: Collection[str]) -> None:
    """Raise BadBackup for an archive whose paths no workspace can have, or that lead out of it. Pure."""
    if len(paths) > MAX_FILES:
        raise BadBackup(f"It contains {len(paths):,} files; at most {MAX_FILES:,} are restored")
    known = set(paths)
    if len(known) != len(paths):
        raise BadBackup("It contains a file twice")
    for path in paths:
        _check_path(path)
        if any(str(parent) in known for parent in PurePosixPath(path).parents):
            raise BadBackup(f"It contains {path!r}, and a file in the place of its folder")


def twin_of(path: str, names: dict[str, str]) -> str | None:
    """Return the earlier path that differs from this one, or from a folder of it, only in case or Unicode form.

    `names` collects the paths; folders count because `Notes/a` and `notes/b` would share one.
    """
    for part in (str(one) for one in (PurePosixPath(path), *PurePosixPath(path).parents)):
        known = names.setdefault(unicodedata.normalize("NFC", part).lower(), part)
        if known != part:
            return known
    return None


def _check_path(path: str) -> None:
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise BadBackup(f"It contains a name that is not valid text: {path!r}") from error
    place = PurePosixPath(path)
    is_plain = str(place) == path and not place.is_absolute() and ".." not in place.parts
    if not is_plain or "\0" in path or path == ".":
        raise BadBackup(f"It would write outside the workspace: {path!r}")


def _is_hidden(name: str) -> bool:
    visible = _visible(name)
    return visible.startswith(".") or not visible.strip()


def _visible(name: str) -> str:
    return "".join(letter for letter in name if unicodedata.category(letter) != "Cf")


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """A file of the workspace, by its path below the root."""

    path: str
    status: os.stat_result


def walk(workspace: Workspace) -> Iterator[WorkspaceFile | LeftOut]:
    """Yield every file of a backup, and what a person may miss in it with the reason, in a fixed order."""
    names: dict[str, str] = {}
    for name in _names(workspace.root):
        if name in (DAEMON, SECRETS):
            continue
        for found in _below(workspace, name):
            twin = isinstance(found, WorkspaceFile) and twin_of(found.path, names)
            yield (
                LeftOut(path=found.path, why=f"on many disks it is the same file as {twin}")
                if twin
                else found
            )
    for name in STATE:
        if (workspace.daemon_dir / name).is_file():
            yield from _below(workspace, f"{DAEMON}/{name}")


def _below(workspace: Workspace, path: str) -> Iterator[WorkspaceFile | LeftOut]:
    place = workspace.root / path
    try:
        os.fsencode(path).decode("utf-8")
        if why := refusal(path):
            if not is_of_database(path):
                yield LeftOut(path=_shown(path), why=why)
            return
        # A memory folder that lies elsewhere belongs to the workspace all the same.
        status = place.stat() if path == "memory" else place.lstat()
        if stat.S_ISDIR(status.st_mode):
            for name in _names(place):
                yield from _below(workspace, f"{path}/{name}")
            return
    except FileNotFoundError:
        return  # removed meanwhile
    except (OSError, UnicodeError) as error:
        yield LeftOut(
            path=_shown(path), why=getattr(error, "strerror", None) or "its name is not valid text"
        )
        return
    if path == DATABASE:
        return
    if stat.S_ISREG(status.st_mode):
        yield WorkspaceFile(path, status)
    elif stat.S_ISLNK(status.st_mode):
        yield LeftOut(path=path, why=f"a link to {place.readlink()}")
    else:
        yield LeftOut(path=path, why="neither a file nor a folder")


def _names(folder: Path) -> list[str]:
    return sorted(place.name for place in folder.iterdir() if place.name not in CACHES)


def _shown(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "replace")


_CHUNK = 1 << 20
#: The folder of the workspace's files in an archive.
_FILES = "files/"
#: The flag of an encrypted zip entry.
_ENCRYPTED = 1
#: A larger manifest is not read; one entry takes about 200 bytes.
MAX_MANIFEST = 1 << 27

Tell = Callable[[int], None]


class ArchiveWriter:
    """Adds files to a new archive; calls `tell` with the size of each piece written."""

    def __init__(self, stream: IO[bytes], tell: Tell) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._tell = tell
        self.entries: list[ArchiveEntry] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # After a failure, closing raises the same error again.
        with contextlib.suppress(OSError, ValueError):
            self._zip.close()

    def add(self, path: str, source: IO[bytes], status: os.stat_result, *, mode: int) -> None:
        """Add a file with its present content."""
        digest, size = hashlib.sha256(), 0
        info = zipfile.ZipInfo(_FILES + path)
        info.external_attr = (stat.S_IFREG | mode) << 16
        with self._zip.open(info, "w", force_zip64=True) as target:
            while piece := source.read(_CHUNK):
                target.write(piece)
                digest.update(piece)
                size += len(piece)
                self._tell(len(piece))
        self.entries.append(
            ArchiveEntry(
                path=path,
                bytes=size,
                sha256=digest.hexdigest(),
                mode=mode,
                modifiedMs=status.st_mtime_ns // 1_000_000,
            )
        )

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest and close the archive; without it the file is no backup. Raises BadBackup."""
        check_paths([entry.path for entry in self.entries])
        self._zip.writestr(MANIFEST, manifest.to_json())
        self._zip.close()


class ArchiveReader:
    """An open archive whose manifest matches its entries."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._zip = archive
        self.manifest = _manifest(archive)
        _check_entries(archive, self.manifest)

    def pieces(self, entry: ArchiveEntry) -> Iterator[bytes]:
        """Yield the content of a file, piece by piece. Raises BadBackup if it differs from the manifest."""
        digest, size = hashlib.sha256(), 0
        try:
            with self._zip.open(_FILES + entry.path) as source:
                while piece := source.read(_CHUNK):
                    digest.update(piece)
                    size += len(piece)
                    if size > entry.bytes:
                        break
                    yield piece
        except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError) as error:
            raise BadBackup(f"{entry.path} in it is damaged: {error}") from error
        if (size, digest.hexdigest()) != (entry.bytes, entry.sha256):
            raise BadBackup(f"{entry.path} in it is damaged: its checksum differs")

    def verify(self, tell: Tell) -> None:
        """Read everything and compare it with the manifest; calls `tell` with the size of each piece."""
        for entry in self.manifest.files:
            for piece in self.pieces(entry):
                tell(len(piece))


@contextmanager
def opened(path: Path) -> Iterator[ArchiveReader]:
    """Open a backup. Raises NotFound and BadBackup."""
    if not path.exists():
        raise NotFound(f"{path} does not exist")
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BadBackup(f"{path} is not a backup: {error}") from error
    with archive:
        yield ArchiveReader(archive)


def is_backup(path: Path) -> bool:
    """Return whether the file is an archive with a manifest of Signet."""
    try:
        with opened(path):
            return True
    except (BadBackup, NotFound):
        return False


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
        if info.file_size > MAX_MANIFEST or info.compress_type != zipfile.ZIP_STORED:
            raise BadBackup(f"Its {MANIFEST} is packed or larger than {MAX_MANIFEST:,} bytes")
        return Manifest.from_json(archive.read(info))
    except KeyError:
        raise BadBackup(f"{archive.filename} is not a backup: it has no {MANIFEST}") from None
    except (zipfile.BadZipFile, RuntimeError, EOFError, OSError) as error:
        raise BadBackup(f"{archive.filename} is damaged: {error}") from error


def _check_entries(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Refuse an archive whose entries differ from its manifest, are packed, or would be written elsewhere."""
    wanted = [entry.path for entry in manifest.files]
    if sorted([*(_FILES + path for path in wanted), MANIFEST]) != sorted(archive.namelist()):
        raise BadBackup("Its files differ from its manifest")
    if DATABASE not in wanted:
        raise BadBackup("It contains no database")
    check_paths(wanted)
    sizes = {_FILES + entry.path: entry.bytes for entry in manifest.files}
    for info in archive.infolist():
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & _ENCRYPTED:
            raise BadBackup("Its files are packed or encrypted, which Signet never does")
        if info.file_size != sizes.get(info.filename, info.file_size):
            raise BadBackup(f"{info.filename} in it is damaged: its size differs")
    # Entries that share bytes would unpack to more than the file has.
    if archive.fp is not None and manifest.total_bytes > archive.fp.seek(0, os.SEEK_END):
        raise BadBackup("Its manifest names more bytes than it contains")
