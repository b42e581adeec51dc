"""The archive of a backup: a plain, uncompressed zip with a manifest as its last entry.

Nothing is compressed: vectors hardly shrink, and deflating 477 MB took 9.4 s where writing it took 0.6.
"""

import contextlib
import hashlib
import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Self

from signet.domain.backup.models import DATABASE, MANIFEST, BadBackup, Entry, Manifest
from signet.errors import NotFound

_CHUNK = 1 << 20
#: Where the workspace's files are in an archive.
_FILES = "files/"
#: No manifest is longer; a larger one is not read.
MAX_MANIFEST = 1 << 28

Tell = Callable[[int], None]


class Writer:
    """Adds files to an archive that is being made; `tell` hears of each piece how many bytes it had."""

    def __init__(self, stream: IO[bytes], tell: Tell) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._tell = tell
        self.entries: list[Entry] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # After a failure it says once more that it cannot be written.
        with contextlib.suppress(OSError, ValueError):
            self._zip.close()

    def add(self, path: str, source: IO[bytes], status: os.stat_result, *, mode: int) -> None:
        """Add a file as it is read now."""
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
            Entry(
                path=path,
                bytes=size,
                sha256=digest.hexdigest(),
                mode=mode,
                modifiedMs=status.st_mtime_ns // 1_000_000,
            )
        )

    def add_link(self, path: str, target: str) -> None:
        """Add a symbolic link; it exists in the manifest only."""
        self.entries.append(Entry(path=path, link=target))

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest and end the archive; without it the file is no backup."""
        self._zip.writestr(MANIFEST, manifest.to_json())
        self._zip.close()


class Reader:
    """An archive that has been opened, with a manifest that fits its entries."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._zip = archive
        self.manifest = _manifest(archive)
        _check_names(archive, self.manifest)

    def pieces(self, entry: Entry) -> Iterator[bytes]:
        """Yield the content of a file, piece by piece. Raises BadBackup where it is not what the manifest says."""
        digest, size = hashlib.sha256(), 0
        try:
            with self._zip.open(_FILES + entry.path) as source:
                while piece := source.read(_CHUNK):
                    digest.update(piece)
                    size += len(piece)
                    yield piece
        except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError) as error:
            raise BadBackup(f"{entry.path} in it is damaged: {error}") from error
        if (size, digest.hexdigest()) != (entry.bytes, entry.sha256):
            raise BadBackup(f"{entry.path} in it is damaged: its checksum differs")

    def verify(self, tell: Tell) -> None:
        """Read everything and hold it against the manifest; `tell` hears of each piece how many bytes it had."""
        for entry in self.manifest.files:
            for piece in () if entry.link is not None else self.pieces(entry):
                tell(len(piece))


@contextmanager
def opened(path: Path) -> Iterator[Reader]:
    """Open a backup. Raises NotFound and BadBackup."""
    if not path.exists():
        raise NotFound(f"{path} does not exist")
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise BadBackup(f"{path} is not a backup: {error}") from error
    with archive:
        yield Reader(archive)


def is_backup(path: Path) -> bool:
    """Return whether the file is an archive with a manifest of ours."""
    try:
        with opened(path):
            return True
    except (BadBackup, NotFound):
        return False


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
        if info.file_size > MAX_MANIFEST:
            raise BadBackup(f"Its {MANIFEST} is too large")
        return Manifest.from_json(archive.read(info))
    except KeyError:
        raise BadBackup(f"{archive.filename} is not a backup: it has no {MANIFEST}") from None
    except zipfile.BadZipFile as error:
        raise BadBackup(f"{archive.filename} is damaged: {error}") from error


def _check_names(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    """Refuse an archive whose entries are not those of its manifest, or that would write outside a workspace."""
    wanted = [entry.path for entry in manifest.files if entry.link is None]
    if sorted([*(_FILES + path for path in wanted), MANIFEST]) != sorted(archive.namelist()):
        raise BadBackup("Its files differ from its manifest")
    if DATABASE not in wanted:
        raise BadBackup("It contains no database")
    links = {entry.path for entry in manifest.files if entry.link is not None}
    for entry in manifest.files:
        place = PurePosixPath(entry.path)
        is_plain = str(place) == entry.path and not place.is_absolute() and ".." not in place.parts
        if not is_plain or "\0" in entry.path or any(str(one) in links for one in place.parents):
            raise BadBackup(f"It would write outside the workspace: {entry.path!r}")
