"""Files and folders as a backup needs them: private when new, never through a link, durable when it says so."""

import os
from pathlib import Path
from typing import BinaryIO


def create(path: Path) -> BinaryIO:
    """Open a file that does not exist yet and that only its owner may read."""
    return os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb"
    )


def read(path: Path) -> BinaryIO:
    """Open a file that is no link."""
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb")


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
