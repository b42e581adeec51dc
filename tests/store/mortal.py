"""Backs up or restores a workspace, and keeps what a kill (SIGKILL) before each of its steps would leave.

`python mortal.py backup|restore WORKSPACE FOLDER [ARCHIVE]`: a step is a change of a file or folder, and each word of
progress. FOLDER/N is what the kernel has of the workspace's files before step N, and the last one what is there at the
end. Prints how many copies there are.
"""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from signet.domain.backup import archive, create, restore
from signet.paths import Workspace
from store.backups import NOON

CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.utime", "os.chmod"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Steps:
    """Copies a workspace before each step of this process."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        self._workspace, self._folder = workspace, folder
        self._is_copying = False
        self.count = 0

    def step(self, *_: int) -> None:
        """Copy the workspace as it is."""
        self._is_copying = True
        shutil.copytree(self._workspace.root, self._folder / str(self.count), symlinks=True)
        self._is_copying = False
        self.count += 1

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        """Hear what the interpreter does."""
        opens = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & WRITES)
        if not self._is_copying and (opens or event in CHANGES):
            self.step()


def back_up(workspace: Workspace, tell: Callable[..., None]) -> None:
    create.create(workspace, now=NOON, tell=tell)


def put_back(workspace: Workspace, tell: Callable[..., None]) -> None:
    with archive.opened(Path(sys.argv[4])) as reader:
        restore.check(reader, tell)
        staged = restore.stage(workspace, reader, now=NOON, tell=tell)
    restore.exchange(workspace, staged, now=NOON)


if __name__ == "__main__":
    work = {"backup": back_up, "restore": put_back}[sys.argv[1]]
    steps = Steps(Workspace(Path(sys.argv[2])), Path(sys.argv[3]))
    sys.addaudithook(steps.hear)
    work(Workspace(Path(sys.argv[2])), steps.step)
    steps.step()
    print(steps.count, flush=True)
