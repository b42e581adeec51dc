"""Detect changed and stable files of a workspace, for the sync and the reading of notes.

Files are polled, which needs no library, works on every file system and cannot lose an event. Each watcher has its
own `Debounce` and thread (`Loop`), so that none waits for another and a change during an action leads to one more.
"""

import os
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from signet.config.manifest import NAMES
from signet.domain.harnesses.registry import ARCHITECTURE
from signet.domain.identity.files import IDENTITY
from signet.observe import logs
from signet.paths import Workspace

LOOK_SECONDS = 1.0
#: Pause after a failure, in seconds.
FAILED_SECONDS = 30.0

#: Folders whose changes never count (HN-20): databases, our own folders, copies, generated files.
_FOLDERS = frozenset({".daemon", ".secrets", ".git"})
_ENDINGS = (".db", ".db-wal", ".db-shm", ".db-journal")
_BACKUP = re.compile(r"MEMORY\.backup-.*\.md")

#: What identifies a file's state: inode, size, modification time.
Identity = tuple[int, int, int]
Seen = Mapping[str, Identity]


#: Yields the files of one kind.
Kind = Callable[[Workspace, Path], Iterator[str | Path]]


def seen(workspace: Workspace, *kinds: Kind, home: Path | None = None) -> Seen:
    """Return the existing files of these kinds with their state; a missing file is a change."""
    found = {}
    for kind in kinds:
        for path in kind(workspace, home or Path.home()):
            try:
                stat = os.stat(path)  # noqa: PTH116  # each second: objects would be most of the work
            except OSError:
                continue
            found[str(path)] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
    return found


class Debounce:
    """Detects when the files differ from the last handled state and have stopped changing.

    Every change restarts the wait. `handled` gets the state from before the work, so that a change meanwhile counts.
    """

    def __init__(self, quiet_seconds: float) -> None:
        self._quiet = quiet_seconds
        self._last: Seen | None = None
        self._moved_at = 0.0
        self._handled: Seen | None = None

    def is_due(self, found: Seen, at: float) -> bool:
        """Return whether to act on the observed state; `at` is in monotonic seconds."""
        if self._last is None:
            self._last, self._moved_at = found, at - self._quiet
        elif found != self._last:
            self._last, self._moved_at = found, at
        return found != self._handled and at - self._moved_at >= self._quiet

    def handled(self, found: Seen) -> None:
        self._handled = found


class Loop(ABC):
    """Calls `look` in a separate thread until stopped; logs a failure and pauses."""

    log = logs.get("watcher")
    #: The log event of a failure, the pause after it, and how long a stop waits for a running call.
    failed = "watch.failed"
    failed_seconds = FAILED_SECONDS
    stop_seconds: float | None = None

    def __init__(self, name: str, *, every_seconds: float = LOOK_SECONDS) -> None:
        self._every_seconds = every_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @abstractmethod
    def poll(self, at: float) -> None:
        """Check the files and act if necessary; `at` is in monotonic seconds."""

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(self.stop_seconds)

    def _run(self) -> None:
        pause = 0.0
        while not self._stop.wait(pause):
            pause = self._every_seconds
            try:
                self.poll(time.monotonic())
            except Exception:  # a busy database, an unreadable folder: retried later
                self.log.exception(self.failed, part=self._thread.name)
                pause = self.failed_seconds


def configs(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield the possible settings files."""
    yield from (workspace.root / name for name in NAMES)


def identities(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    yield from (workspace.root / name for name in IDENTITY)


def architecture(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield the file that explains a workspace to agents."""
    yield workspace.root / ARCHITECTURE


def agents(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield the files below `agents/`, without generated files and copies."""
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
    folder = str(workspace.memory_dir)
    for name in _names(folder):
        if name.endswith(".md") and name != "MEMORY.md" and not _BACKUP.fullmatch(name):
            yield f"{folder}/{name}"


def claude_notes(workspace: Workspace, home: Path) -> Iterator[str | Path]:
    """Yield Claude Code's notes of each project."""
    folder = str(home / ".claude" / "projects")
    yield from (f"{folder}/{name}/memory/MEMORY.md" for name in _names(folder))


def _names(folder: str) -> list[str]:
    """Return a folder's visible entries; empty if it does not exist."""
    try:
        return [name for name in os.listdir(folder) if name[0] != "."]  # noqa: PTH208
    except OSError:
        return []
