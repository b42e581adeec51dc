"""A session stored by a harness, and the places where harnesses store them."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from signet.domain.projects.folder import is_within


@dataclass(frozen=True, slots=True, kw_only=True)
class UserHome:
    """The home folder to search, and the variables with programs' folders."""

    path: Path
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def folder(self, variable: str, *usual: str) -> Path:
        """Return the folder named by a variable, else the default below the home."""
        named = self.environ.get(variable, "").strip()
        return Path(named) if named else self.path.joinpath(*usual)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSession:
    """A readable session: the key that hooks use for it, and its file.

    `bytes` is its approximate size, `changed_at` the time of the last message.
    """

    harness: str
    key: str
    path: str
    bytes: int
    changed_at: datetime
    project: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HarnessPlace:
    """Where one harness keeps its sessions.

    `find` yields the readable sessions in any order. `logs` returns the folders with only logs, one file per session.
    `read` returns the log of a session (see transcripts/transcript.py), None if the file is the log; it raises OSError,
    and ValueError for another form of file.
    """

    harness: str
    name: str
    find: Callable[[UserHome], Iterator[FoundSession]]
    logs: Callable[[UserHome], Iterable[Path]] = lambda home: ()
    read: Callable[[str, str], str | None] = lambda path, key: None

    def file(self, path: Path, key: str, project: str | None) -> FoundSession:
        """Return a session with its own file; raises OSError."""
        stat = path.stat()
        return FoundSession(
            harness=self.harness,
            key=key,
            path=str(path),
            bytes=stat.st_size,
            changed_at=datetime.fromtimestamp(stat.st_mtime, UTC),
            project=project,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedSessions:
    """Filters for sessions: all, or since an instant, of some harnesses, of some projects.

    A project is given as its folder, a parent folder, or its last part.
    """

    agent_id: str
    since: datetime | None = None
    harnesses: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    #: Folders whose sessions are never wanted (HK-124).
    private: tuple[str, ...] = ()

    def holds(self, found: FoundSession) -> bool:
        if self.private and found.project and is_within(found.project, self.private):
            return False
        return (
            (self.since is None or found.changed_at >= self.since)
            and (not self.harnesses or found.harness in self.harnesses)
            and (not self.projects or any(_is_in(found.project, one) for one in self.projects))
        )


def _is_in(project: str | None, named: str) -> bool:
    if project is None:
        return False
    folder, wanted = Path(project), Path(named)
    return folder == wanted or wanted in folder.parents or folder.name == named


def log(messages: Iterable[tuple[str, object, object]]) -> str:
    """Return messages (role, content, time) in the form of the harness plugins."""
    return "\n".join(
        json.dumps({"role": role, "content": content, "timestamp": at}, ensure_ascii=False)
        for role, content, at in messages
    )
