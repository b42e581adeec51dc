"""Which files of a workspace have changed, and whether they are stable: for the sync and the reading of notes.

Files are polled, as skills are: no library, every disk, no message to lose. Each follower has a `Debounce` and a
thread (`Loop`) of its own, so that none waits for another and a change during an action leads to one more.
"""

import os
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from signet.config.manifest import NAMES
from signet.domain.harnesses.sync import ARCHITECTURE
from signet.domain.identity.files import IDENTITY
from signet.observe import logs
from signet.paths import Workspace

LOOK_SECONDS = 0.5
#: How long nothing is tried after a failure.
FAILED_SECONDS = 30.0

#: What is never a change of anything (HN-20): databases, our own folders, copies, what is generated for agents.
_FOLDERS = frozenset({".daemon", ".secrets", ".git"})
_ENDINGS = (".db", ".db-wal", ".db-shm", ".db-journal")
_BACKUP = re.compile(r"MEMORY\.backup-.*\.md")

#: What shows that a file has changed: inode, size, modification time.
Identity = tuple[int, int, int]
Seen = Mapping[str, Identity]


#: Yields the files that are one thing to those who follow them.
Kind = Callable[[Workspace, Path], Iterator[str | Path]]


def seen(workspace: Workspace, *kinds: Kind, home: Path | None = None) -> Seen:
    """Return the files of these kinds that exist, with what shows a change; a missing file is a change."""
    found = {}
    for kind in kinds:
        for path in kind(workspace, home or Path.home()):
            try:
                stat = os.stat(path)  # noqa: PTH116  # twice a second: objects would be most of the work
            except OSError:
                continue
            found[str(path)] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return found


class Debounce:
    """Says when what is seen differs from what was handled and has not changed for so many seconds.

    Every change restarts the wait. `handled` is given what was seen before the work, so that a change meanwhile
    counts.
    """

    def __init__(self, quiet_seconds: float) -> None:
        self._quiet = quiet_seconds
        self._last: Seen | None = None
        self._moved_at = 0.0
        self._handled: Seen | None = None

    def is_due(self, found: Seen, at: float) -> bool:
        """Return whether it is time to act on what is seen; `at` is in monotonic seconds."""
        if self._last is None:
            self._last, self._moved_at = found, at - self._quiet
        elif found != self._last:
            self._last, self._moved_at = found, at
        return found != self._handled and at - self._moved_at >= self._quiet

    def handled(self, found: Seen) -> None:
        """Note that what was seen has been acted on."""
        self._handled = found


class Loop(ABC):
    """Calls `look` from a thread of its own until it is stopped; a failure is logged and rests for a while."""

    log = logs.get("watcher")
    #: The event of a failure, how long nothing is tried after it, and how long a stop waits for the look that is on.
    failed = "watch.failed"
    failed_seconds = FAILED_SECONDS
    stop_seconds: float | None = None

    def __init__(self, name: str, *, every_seconds: float = LOOK_SECONDS) -> None:
        self._every_seconds = every_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @abstractmethod
    def look(self, at: float) -> None:
        """Look, and do what is due; `at` is in monotonic seconds."""

    def start(self) -> None:
        """Start to look."""
        self._thread.start()

    def stop(self) -> None:
        """Stop looking, after the action that is on."""
        self._stop.set()
        self._thread.join(self.stop_seconds)

    def _run(self) -> None:
        pause = 0.0
        while not self._stop.wait(pause):
            pause = self._every_seconds
            try:
                self.look(time.monotonic())
            except (
                Exception
            ):  # a busy database, a folder that may not be read: a later look tries again
                self.log.exception(self.failed, part=self._thread.name)
                pause = self.failed_seconds


def configs(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield the files that may hold the settings."""
    yield from (workspace.root / name for name in NAMES)


def identities(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield the files that say who the agent is."""
    yield from (workspace.root / name for name in IDENTITY)


def architecture(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield the file that tells agents how a workspace is built."""
    yield workspace.root / ARCHITECTURE


def agents(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield what lies below `agents/`, apart from what is generated and the copies of what was."""
    top = workspace.root / "agents"
    for folder, folders, names in os.walk(top):
        at = Path(folder)
        folders[:] = [one for one in folders if one not in _FOLDERS]
        if at.parent == top and "workspace" in folders:
            folders.remove("workspace")
        for name in names:
            if not name.endswith(_ENDINGS) and not _BACKUP.fullmatch(name) and name[0] != ".":
                yield at / name


def notes(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield the notes of the workspace."""
    folder = str(workspace.memory_dir)
    for name in _names(folder):
        if name.endswith(".md") and name != "MEMORY.md" and not _BACKUP.fullmatch(name):
            yield f"{folder}/{name}"


def claude_notes(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield what Claude Code has noted of each project."""
    folder = str(home / ".claude" / "projects")
    yield from (f"{folder}/{name}/memory/MEMORY.md" for name in _names(folder))


def _names(folder: str) -> list[str]:
    """Return what is in a folder and not hidden; nothing when there is none."""
    try:
        return [name for name in os.listdir(folder) if name[0] != "."]  # noqa: PTH208
    except OSError:
        return []
