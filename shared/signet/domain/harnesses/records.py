"""The record that undoes changes to harness files byte for byte: `.daemon/harnesses.json`.

A record is written before its file, and holds the difference from the changed file to the earlier one. It is used
only when the file is exactly as we left it; otherwise our entries are removed one by one. A lost record costs only
exactness.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field

from signet.domain.harnesses.models import Before
from signet.files import locked, read_file, replace_file
from signet.paths import Workspace

_FILE, _LOCK = "harnesses.json", "harnesses.lock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """The way back: `text` replaces `start` to `stop`; `was_there` is False for a new file."""

    digest: str
    start: int = 0
    stop: int = 0
    text: str = ""
    was_there: bool = True
    before: Before = field(default_factory=dict)

    def is_of(self, content: bytes) -> bool:
        return digest(content) == self.digest

    def earlier(self, content: str) -> str:
        return content[: self.start] + self.text + content[self.stop :]


@dataclass(slots=True, kw_only=True)
class Record:
    """The state of one harness: files, links with their earlier targets, folders that we made."""

    is_installed: bool = False
    #: It was removed on purpose and is connected again only on request.
    is_removed: bool = False
    #: Why the last attempt to connect it failed.
    failure: str = ""
    programs: tuple[str, str] | None = None
    files: dict[str, Undo] = field(default_factory=dict)
    links: dict[str, str | None] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    #: The copies that were made before a change, each with its file.
    copies: dict[str, str] = field(default_factory=dict)


def alone(workspace: Workspace) -> AbstractContextManager[None]:
    """Lock the files of harnesses for one process at a time."""
    return locked(workspace.daemon_dir / _LOCK)


def read(workspace: Workspace, harness: str) -> Record:
    """Return the record of a harness; empty if it is missing or unreadable."""
    raw = _all(workspace).get(harness)
    if not isinstance(raw, Mapping):
        return Record()
    try:
        files = {path: Undo(**undo) for path, undo in raw["files"].items()}
        programs = raw["programs"]
        return Record(
            is_installed=bool(raw["is_installed"]),
            is_removed=bool(raw["is_removed"]),
            failure=str(raw.get("failure", "")),
            programs=None if programs is None else (str(programs[0]), str(programs[1])),
            files=files,
            links=dict(raw["links"]),
            folders=list(raw["folders"]),
            copies=dict(raw["copies"]),
        )
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        return Record()


def write(workspace: Workspace, harness: str, record: Record) -> None:
    """Store the record of a harness, durable on return."""
    workspace.daemon_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    found = {**_all(workspace), harness: asdict(record)}
    replace_file(workspace.daemon_dir / _FILE, json.dumps(found, indent=1).encode())


def undo(earlier: str | None, later: str, before: Before) -> Undo:
    """Return the way from `later` back to `earlier`; None is a missing file."""
    text = earlier or ""
    head = _shared(text, later)
    tail = _shared(text[head:][::-1], later[head:][::-1])
    return Undo(
        digest=digest(later.encode()),
        start=head,
        stop=len(later) - tail,
        text=text[head : len(text) - tail],
        was_there=earlier is not None,
        before=before,
    )


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _shared(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _all(workspace: Workspace) -> dict[str, object]:
    try:
        found = json.loads(read_file(workspace.daemon_dir / _FILE))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
