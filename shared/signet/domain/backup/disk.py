"""File operations of backups: new files are private, links are never followed, synced files are durable."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from signet.files import opened


def create(path: Path) -> BinaryIO:
    """Open a file that does not exist yet and that only its owner may read."""
    return os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb"
    )


def read(path: Path) -> BinaryIO:
    """Open a regular file that is no link; raises OSError. (A pipe would wait for its writer.)"""
    file = opened(path, os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "neither a file nor a folder")
    return file


def sync_file(file: BinaryIO) -> None:
    """Make what was written to a file durable."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
