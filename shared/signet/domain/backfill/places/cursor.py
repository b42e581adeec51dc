"""Cursor: the database of its window, and the logs of its agent below `~/.cursor/projects`.

Its messages have times only since 2025; those without have the time of their session.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from signet.domain.backfill.models import Found, Home, Place, log
from signet.domain.backfill.places import files
from signet.domain.backfill.sql import others

_DATABASE = "state.vscdb"
#: What the address of a folder on this machine begins with.
_FILE = "file://"
_ROLES = {1: "user", 2: "assistant"}
_QUERY = re.compile(r"</?user_query>\s*")


def find(home: Home) -> Iterator[Found]:
    """Yield the talks of the window, then those that only the agent has."""
    user = _user_folder(home)
    folders = _folders(user)
    database = user / "globalStorage" / _DATABASE
    known = set()
    for row in others.read(database, others.CursorRow, others.CURSOR):
        at = files.instant(row.at)
        if at is not None and row.bytes:
            known.add(row.id)
            yield Found(
                harness=PLACE.harness,
                key=row.id,
                path=str(database),
                bytes=row.bytes,
                changed_at=at,
                project=folders.get(row.id),
            )
    for path in files.below(_projects(home), "*/agent-transcripts/**/*.jsonl"):
        slug = path.relative_to(_projects(home)).parts[0]
        if path.stem not in known and "subagents" not in path.parts:
            with suppress(OSError):
                yield PLACE.file(path, path.stem, folders.get(slug))


def read(path: str, key: str) -> str | None:
    """Return the texts of a talk; raises OSError, and ValueError for a file of another form."""
    if Path(path).name != _DATABASE:
        with Path(path).open(encoding="utf-8", errors="replace") as lines:
            return log(_logged(files.parsed(line) for line in lines if line.strip()))
    rows = others.asked(Path(path), others.BubbleRow, others.CURSOR_BUBBLES, (key,))
    return log(
        (_ROLES[row.type], row.text, row.at) for row in rows if row.type in _ROLES and row.text
    )


def _logged(records: Iterator[Any]) -> Iterator[tuple[str, object, object]]:
    for record in records:
        message = record.get("message") if isinstance(record, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "text":
                text = _QUERY.sub("", str(part.get("text"))).strip()
                yield str(record.get("role")), text, None


def _user_folder(home: Home) -> Path:
    if sys.platform == "darwin":
        return home.path / "Library" / "Application Support" / "Cursor" / "User"
    return home.folder("XDG_CONFIG_HOME", ".config") / "Cursor" / "User"


def _folders(user: Path) -> dict[str, str]:
    """Return the folder of each talk by its id, and by the name that the agent's logs have for it."""
    found: dict[str, str] = {}
    for path in files.below(user / "workspaceStorage", "*/workspace.json"):
        about = files.json_or_none(path)
        uri = str(about.get("folder") if isinstance(about, dict) else "")
        if not uri.startswith(_FILE):
            continue
        folder = unquote(uri.removeprefix(_FILE))
        found[re.sub(r"[^A-Za-z0-9]+", "-", folder).strip("-")] = folder
        for row in others.read(path.with_name(_DATABASE), others.TalkRow, others.CURSOR_TALKS):
            found[row.id] = folder
    return found


def _projects(home: Home) -> Path:
    return home.path / ".cursor" / "projects"


def logs(home: Home) -> Iterable[Path]:
    """Return the folder of each project."""
    return _projects(home).glob("*/agent-transcripts")


PLACE = Place(harness="cursor", name="Cursor", find=find, logs=logs, read=read)
