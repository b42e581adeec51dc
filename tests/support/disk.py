"""A small disk of its own, for what happens when one is full; needs the right to mount (root)."""

import errno
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def a_small_disk(size: str) -> Iterator[Path]:
    """Give an empty disk until the block ends; skips the test where mounting is not permitted."""
    folder = Path(tempfile.mkdtemp(prefix="signet-disk-"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        folder.rmdir()
        pytest.skip("mounting is not permitted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def fill(disk: Path) -> Path:
    """Take all the room there is."""
    ballast = disk / "ballast"
    with ballast.open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while file.write(bytes(size)) == size:
                    continue
            except OSError as error:
                assert error.errno == errno.ENOSPC
    return ballast
