"""Atomic file replacement, safe reads, and file locks. Standard library only."""

import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

#: Maximum sizes for `read_small` and `read_file`.
SMALL_BYTES, LARGE_BYTES = 64 * 1024, 64 * 1024 * 1024


def opened(path: Path | str, flags: int) -> BinaryIO:
    """Open a file for reading with additional flags of open(2); `os.fdopen` would leave a folder's descriptor open."""
    return open(path, "rb", opener=lambda name, usual: os.open(name, usual | flags))


def read_file(path: Path) -> bytes:
    """Return the content of one of our files; never blocks, not even on a FIFO.

    Raises OSError, also for other than regular files and above `LARGE_BYTES`.
    """
    with open_file(path) as file:
        return file.read(LARGE_BYTES)


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Open one of our files for reading; raises OSError like `read_file`."""
    with opened(path, getattr(os, "O_NONBLOCK", 0)) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        if found.st_size > LARGE_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {LARGE_BYTES} bytes", str(path))
        yield file


def read_small(path: Path) -> bytes | None:
    """Return the content of one of our small files; None if it is missing, unreadable, too large or not a file."""
    try:
        with open_file(path) as file:
            content = file.read(SMALL_BYTES + 1)
    except OSError:
        return None
    return content if len(content) <= SMALL_BYTES else None


def read_markdown(path: Path, most: int) -> bytes:
    """Return the start of a Markdown file that Signet reads unasked; a link must lead to another Markdown file.

    Programs that may write links here may not be allowed to read keys. Raises OSError.
    """
    place = Path(os.path.realpath(path)) if path.is_symlink() else path
    if place.suffix.lower() != ".md":
        raise OSError(errno.EACCES, "the link leads to no Markdown file", str(path))
    with opened(place, getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a file", str(path))
        return file.read(most)


def identity_of(path: str) -> tuple[int, int] | None:
    """Return the device and the inode of a file or folder, None if it cannot be seen."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino


def put_aside(path: Path) -> None:
    """Rename anything but a file at a file's path."""
    if path.exists() and not path.is_file():
        path.rename(path.with_name(f"{path.name}.wrong-{time.time_ns()}"))


def replace_file(path: Path, content: bytes, *, beside: str | None = None) -> None:
    """Replace a file atomically and durably; the mode stays, a new file is private.

    `beside` names the temporary file of a path's only writer, which replaces it after a crash; otherwise the name is
    new.
    """
    if beside is None:
        import tempfile  # takes a hook longer to load than to run

        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    else:
        temporary = str(path.parent / beside)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            if path.exists():
                Path(temporary).chmod(path.stat().st_mode & 0o7777)
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if sys.platform == "win32":  # which opens no folder
        return
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Lock a folder, or a file that is created if missing; the lock ends with the process.

    Windows has no folder locks. Without `wait`, raises BlockingIOError if it is locked.
    """
    if not path.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT
    handle = os.open(path, flags, 0o600)
    try:
        _lock(handle, wait=wait)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, *, wait: bool) -> None:
    if sys.platform == "win32":
        import msvcrt

        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return
            except OSError as error:  # waiting ends after ten seconds, too
                if not wait:
                    raise BlockingIOError(error.errno, error.strerror) from error
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
