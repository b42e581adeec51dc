"""Putting whole folders in place, and taking them away, in one step.

The new files are written to a hidden folder next to the old, so that a reader sees the old skill, the new one,
or none, and never a part. What a killed process has left there is put right later (`tidy`).
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from signet.errors import Kind, SignetError

#: Hidden, so that it is never taken for a skill.
_STAGE = ".stage-"
_OLD = "old"
#: No installation takes longer than this.
ABANDONED_SECONDS = 600.0

#: What a skill may hold: scripts and samples, not a virtual environment.
MAX_FILES = 2_000
MAX_TOTAL_BYTES = 50_000_000


class CannotCopy(SignetError):
    """A skill cannot be copied."""

    kind = Kind.INVALID
    code = "install_failed"


@contextmanager
def stage(folder: Path) -> Iterator[Path]:
    """Make a hidden folder in which something may be made ready; it is gone afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    tidy(folder)
    made = Path(tempfile.mkdtemp(prefix=_STAGE, dir=folder))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def put(staged: Path, ready: Path, target: Path) -> None:
    """Move a ready folder to its place; the former one is deleted with the stage."""
    if target.is_symlink():
        target.unlink()
    old = staged / _OLD / target.name
    had = target.exists()
    if had:
        old.parent.mkdir()
        target.rename(old)
    try:
        ready.rename(target)
    except OSError:
        if had:
            old.rename(target)
        raise


def discard(folder: Path, target: Path) -> None:
    """Remove a folder: it is out of its place at once. Of a link only the link goes."""
    if target.is_symlink():
        target.unlink()
        return
    with stage(folder) as staged:
        target.rename(staged / target.name)


def tidy(folder: Path) -> None:
    """Remove what killed processes have left, and put back what they had taken away and not replaced."""
    long_ago = time.time() - ABANDONED_SECONDS
    for staged in folder.glob(f"{_STAGE}*"):
        with suppress(OSError):
            if staged.stat().st_ctime > long_ago:
                continue
            for old in (staged / _OLD).glob("*"):
                if not (folder / old.name).exists():
                    old.rename(folder / old.name)
        shutil.rmtree(staged, ignore_errors=True)


def copy(source: Path, target: Path) -> None:
    """Copy a folder without what version control keeps in it.

    Links stay links when they point to something inside; raises CannotCopy for others, for special files,
    and for too much.
    """
    root = source.resolve()
    count = total = 0
    target.mkdir()
    for at, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name.lower() != ".git"]
        made = target / Path(at).relative_to(root)
        for name in (*folders, *(name for name in files if name.lower() != ".git")):
            path = Path(at) / name
            count += 1
            total += path.lstat().st_size if path.is_file() else 0
            if count > MAX_FILES or total > MAX_TOTAL_BYTES:
                raise CannotCopy(
                    f"a skill may have at most {MAX_FILES} files and {MAX_TOTAL_BYTES // 1_000_000} MB"
                )
            if path.is_symlink():
                _check_link(root, path)
                (made / name).symlink_to(path.readlink())
            elif path.is_dir():
                (made / name).mkdir()
            elif path.is_file():
                shutil.copy2(path, made / name)
            else:
                raise CannotCopy(f"{path.relative_to(root)} is not a regular file")


def _check_link(root: Path, path: Path) -> None:
    leads_to = path.readlink()
    if leads_to.is_absolute() or not path.resolve().is_relative_to(root):
        raise CannotCopy(f"{path.relative_to(root)} is a link to outside the skill")
