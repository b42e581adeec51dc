"""Backs up or restores copies of a workspace, each copy in a process that is killed (SIGKILL) one step later.

`python mortal.py backup|restore WORKSPACE FOLDER [ARCHIVE]`: a step is a change of a file or folder, and each word of
progress. The copy of step N is FOLDER/N; the last one is not killed. Prints how many copies there are.
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from signet.domain.backup import archive, create, restore
from signet.paths import Workspace
from store.backups import NOON

CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.symlink", "os.utime", "os.chmod"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Life:
    """Ends this process at a step."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def step(self, *_: int) -> None:
        """Live one step more, or not."""
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        """Hear what the interpreter does."""
        opens = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & WRITES)
        if opens or event in CHANGES:
            self.step()


def back_up(workspace: Workspace, tell: Callable[..., None]) -> None:
    create.create(workspace, now=NOON, tell=tell)


def put_back(workspace: Workspace, tell: Callable[..., None]) -> None:
    with archive.opened(Path(sys.argv[4])) as reader:
        restore.check(reader, tell)
        staged = restore.stage(workspace, reader, now=NOON, tell=tell)
    restore.exchange(workspace, staged, now=NOON)


def killed_at(
    step: int, copy: Path, work: Callable[[Workspace, Callable[..., None]], None]
) -> bool:
    """Do the work in a process that lives so many steps, and return whether it was killed."""
    shutil.copytree(sys.argv[2], copy, symlinks=True)
    child = os.fork()
    if child == 0:
        life = Life(step)
        sys.addaudithook(life.hear)
        work(Workspace(copy), life.step)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL), status
    return status == signal.SIGKILL


if __name__ == "__main__":
    work = {"backup": back_up, "restore": put_back}[sys.argv[1]]
    step = 0
    while killed_at(step, Path(sys.argv[3]) / str(step), work):
        step += 1
    print(step + 1, flush=True)
