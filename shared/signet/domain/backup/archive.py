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
from pathlib import Path
from typing import IO, Self

from signet.domain.backup import accept
from signet.domain.backup.models import DATABASE, MANIFEST, BadBackup, Entry, Manifest
from signet.errors import NotFound

_CHUNK = 1 << 20
#: The folder of the workspace's files in an archive.
_FILES = "files/"
#: The flag of an encrypted zip entry.
_ENCRYPTED = 1
#: A larger manifest is not read; one entry takes about 200 bytes.
MAX_MANIFEST = 1 << 27

Tell = Callable[[int], None]


class Writer:
    """Adds files to a new archive; calls `tell` with the size of each piece written."""

    def __init__(self, stream: IO[bytes], tell: Tell) -> None:
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True)
        self._tell = tell
        self.entries: list[Entry] = []

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
            Entry(
                path=path,
                bytes=size,
                sha256=digest.hexdigest(),
                mode=mode,
                modifiedMs=status.st_mtime_ns // 1_000_000,
            )
        )

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest and close the archive; without it the file is no backup. Raises BadBackup."""
        accept.check_paths([entry.path for entry in self.entries])
        self._zip.writestr(MANIFEST, manifest.to_json())
        self._zip.close()


class Reader:
    """An open archive whose manifest matches its entries."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._zip = archive
        self.manifest = _manifest(archive)
        _check_entries(archive, self.manifest)

    def pieces(self, entry: Entry) -> Iterator[bytes]:
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

    def read(self, path: str, most: int) -> bytes | None:
        """Return a file of at most `most` bytes, None for a missing or larger one. Raises BadBackup."""
        found = [one for one in self.manifest.files if one.path == path and one.link is None]
        return b"".join(self.pieces(found[0])) if found and found[0].bytes <= most else None

    def verify(self, tell: Tell) -> None:
        """Read everything and compare it with the manifest; calls `tell` with the size of each piece."""
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
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BadBackup(f"{path} is not a backup: {error}") from error
    with archive:
        yield Reader(archive)


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
    wanted = [entry.path for entry in manifest.files if entry.link is None]
    if sorted([*(_FILES + path for path in wanted), MANIFEST]) != sorted(archive.namelist()):
        raise BadBackup("Its files differ from its manifest")
    if DATABASE not in wanted:
        raise BadBackup("It contains no database")
    accept.check_paths([entry.path for entry in manifest.files])
    sizes = {_FILES + entry.path: entry.bytes for entry in manifest.files}
    for info in archive.infolist():
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & _ENCRYPTED:
            raise BadBackup("Its files are packed or encrypted, which Signet never does")
        if info.file_size != sizes.get(info.filename, info.file_size):
            raise BadBackup(f"{info.filename} in it is damaged: its size differs")
    # Entries that share bytes would unpack to more than the file has.
    if archive.fp is not None and manifest.total_bytes > archive.fp.seek(0, os.SEEK_END):
        raise BadBackup("Its manifest names more bytes than it contains")
