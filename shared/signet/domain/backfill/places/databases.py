"""Sessions in databases: Cursor, OpenCode and OpenClaw."""

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from signet.domain.backfill import sql
from signet.domain.backfill.models import FoundSession, HarnessPlace, UserHome, log
from signet.domain.backfill.places import files

_CURSOR_DATABASE = "state.vscdb"
#: The prefix of a local folder's address.
_CURSOR_FILE = "file://"
_CURSOR_ROLES = {1: "user", 2: "assistant"}
_QUERY = re.compile(r"</?user_query>\s*")


def find_cursor(home: UserHome) -> Iterator[FoundSession]:
    """Yield the chats of the window, then those that only the agent has."""
    user = _user_folder(home)
    folders = _cursor_folders(user)
    database = user / "globalStorage" / _CURSOR_DATABASE
    known = set()
    for row in sql.read_rows(database, sql.CursorRow, sql.CURSOR):
        at = files.instant(row.at)
        if at is not None and row.bytes:
            known.add(row.id)
            yield FoundSession(
                harness=CURSOR.harness,
                key=row.id,
                path=str(database),
                bytes=row.bytes,
                changed_at=at,
                project=folders.get(row.id),
            )
    for path in files.below(_cursor_projects(home), "*/agent-transcripts/**/*.jsonl"):
        slug = path.relative_to(_cursor_projects(home)).parts[0]
        if path.stem not in known and "subagents" not in path.parts:
            with suppress(OSError):
                yield CURSOR.file(path, path.stem, folders.get(slug))


def read_cursor(path: str, key: str) -> str | None:
    """Return the texts of a chat; raises OSError, and ValueError for another form of file."""
    if Path(path).name != _CURSOR_DATABASE:
        with Path(path).open(encoding="utf-8", errors="replace") as lines:
            return log(_logged_cursor(files.parsed(line) for line in lines if line.strip()))
    rows = sql.count_of(Path(path), sql.BubbleRow, sql.CURSOR_BUBBLES, (key,))
    return log(
        (_CURSOR_ROLES[row.type], row.text, row.at)
        for row in rows
        if row.type in _CURSOR_ROLES and row.text
    )


def _logged_cursor(records: Iterator[Any]) -> Iterator[tuple[str, object, object]]:
    for record in records:
        message = record.get("message") if isinstance(record, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, dict) and part.get("type") == "text":
                text = _QUERY.sub("", str(part.get("text"))).strip()
                yield str(record.get("role")), text, None


def _user_folder(home: UserHome) -> Path:
    if sys.platform == "darwin":
        return home.path / "Library" / "Application Support" / "Cursor" / "User"
    return home.folder("XDG_CONFIG_HOME", ".config") / "Cursor" / "User"


def _cursor_folders(user: Path) -> dict[str, str]:
    """Return the folder of each chat by its ID, and by its name in the agent's logs."""
    found: dict[str, str] = {}
    for path in files.below(user / "workspaceStorage", "*/workspace.json"):
        about = files.json_or_none(path)
        uri = str(about.get("folder") if isinstance(about, dict) else "")
        if not uri.startswith(_CURSOR_FILE):
            continue
        folder = unquote(uri.removeprefix(_CURSOR_FILE))
        found[re.sub(r"[^A-Za-z0-9]+", "-", folder).strip("-")] = folder
        for row in sql.read_rows(path.with_name(_CURSOR_DATABASE), sql.TalkRow, sql.CURSOR_TALKS):
            found[row.id] = folder
    return found


def _cursor_projects(home: UserHome) -> Path:
    return home.path / ".cursor" / "projects"


def _cursor_logs(home: UserHome) -> Iterable[Path]:
    return _cursor_projects(home).glob("*/agent-transcripts")


CURSOR = HarnessPlace(
    harness="cursor", name="Cursor", find=find_cursor, logs=_cursor_logs, read=read_cursor
)


_OPENCODE_DATABASE = "opencode.db"


def find_opencode(home: UserHome) -> Iterator[FoundSession]:
    """Yield the sessions of people, not of subagents."""
    folder = home.folder("XDG_DATA_HOME", ".local", "share") / "opencode"
    database, known = folder / _OPENCODE_DATABASE, set()
    for row in sql.read_rows(database, sql.OpenCodeRow, sql.OPENCODE):
        known.add(row.id)
        at = files.instant(row.at)
        if at is not None:
            yield FoundSession(
                harness=OPENCODE.harness,
                key=row.id,
                path=str(database),
                bytes=row.bytes,
                changed_at=at,
                project=row.directory,
            )
    for path in files.below(folder / "storage" / "session", "*/*.json"):
        if path.stem not in known and (found := _opencode_sessions(path)) is not None:
            yield found


def _opencode_sessions(path: Path) -> FoundSession | None:
    about = files.json_or_none(path)
    if not isinstance(about, dict) or about.get("parentID"):
        return None
    time = about.get("time")
    at = files.instant(time.get("updated")) if isinstance(time, dict) else None
    with suppress(OSError):
        size = sum(one.stat().st_size for _, parts in _opencode_messages(path) for one in parts)
        found = OPENCODE.file(path, path.stem, files.text(about.get("directory")))
        return replace(found, bytes=size, changed_at=at or found.changed_at)
    return None


def read_opencode(path: str, key: str) -> str:
    """Return the texts of a session; raises OSError, and ValueError for another form of file."""
    if Path(path).name != _OPENCODE_DATABASE:
        held = (
            (files.json_of(message), [files.json_of(one) for one in parts])
            for message, parts in _opencode_messages(Path(path))
        )
        return log(_opencode_turn(held))
    rows = sql.count_of(Path(path), sql.PartRow, sql.OPENCODE_PARTS, (key,))
    messages: dict[str, tuple[Any, list[Any]]] = {}
    for row in rows:
        _, parts = messages.setdefault(row.message_id, (files.parsed(row.message), []))
        parts.append(files.parsed(row.part))
    return log(_opencode_turn(messages.values()))


def _opencode_messages(path: Path) -> Iterator[tuple[Path, list[Path]]]:
    storage = path.parents[2]
    for message in sorted(files.below(storage / "message" / path.stem, "*.json")):
        yield message, sorted(files.below(storage / "part" / message.stem, "*.json"))


def _opencode_turn(
    messages: Iterable[tuple[Any, list[Any]]],
) -> Iterator[tuple[str, object, object]]:
    for message, parts in messages:
        spoken = [one for one in parts if isinstance(one, dict) and one.get("type") == "text"]
        texts = [_typed(one) for one in spoken if not one.get("synthetic")]
        text = "\n".join(texts).strip()
        # A compaction stores its summary as a message of the assistant.
        if text and isinstance(message, dict) and message.get("summary") is not True:
            time = message.get("time")
            at = time.get("created") if isinstance(time, dict) else None
            yield str(message.get("role")), text, at


def _typed(part: dict[str, Any]) -> str:
    marks = part.get("metadata")
    typed = marks.get("signet") if isinstance(marks, dict) else None
    return str(part.get("text", "") if typed is None else typed)


OPENCODE = HarnessPlace(harness="opencode", name="OpenCode", find=find_opencode, read=read_opencode)


_OPENCLAW_ROOTS = (".openclaw", ".clawdbot", ".moltbot", ".moldbot")
_OPENCLAW_DATABASE = "openclaw-agent.sqlite"


def find_openclaw(home: UserHome) -> Iterator[FoundSession]:
    for root in _openclaw_roots(home):
        for database in files.below(root / "agents", f"*/agent/{_OPENCLAW_DATABASE}"):
            for row in sql.read_rows(database, sql.OpenClawRow, sql.OPENCLAW):
                if (at := files.instant(row.at)) is not None:
                    yield FoundSession(
                        harness=OPENCLAW.harness,
                        key=row.key,
                        path=str(database),
                        bytes=row.bytes,
                        changed_at=at,
                        project=row.directory,
                    )
        for path in files.below(root / "agents", "*/sessions/*.jsonl"):
            with suppress(OSError):
                yield _logged_openclaw(path)


def _openclaw_logs(home: UserHome) -> Iterable[Path]:
    return (one for root in _openclaw_roots(home) for one in root.glob("agents/*/sessions"))


def _openclaw_roots(home: UserHome) -> list[Path]:
    named = home.environ.get("OPENCLAW_STATE_DIR", "").strip()
    return [Path(named)] if named else [home.path / name for name in _OPENCLAW_ROOTS]


def _logged_openclaw(path: Path) -> FoundSession:
    cwds = (files.text(one.get("cwd")) for one in files.head(path))
    return OPENCLAW.file(path, _openclaw_key(path), next(filter(None, cwds), None))


def _openclaw_key(path: Path) -> str:
    """Return the key under which a log continues, else one made from its name."""
    listed = files.json_or_none(path.with_name("sessions.json"))
    for key, entry in listed.items() if isinstance(listed, dict) else ():
        if isinstance(entry, dict) and entry.get("sessionId") == path.stem:
            return str(key)
    return f"agent:{path.parent.parent.name}:{path.stem}"


def read_openclaw(path: str, key: str) -> str:
    """Return the messages of a session; raises OSError, and ValueError for another form of file."""
    if Path(path).name == _OPENCLAW_DATABASE:
        rows = sql.count_of(Path(path), sql.EventRow, sql.OPENCLAW_EVENTS, (key,))
        return log(_openclaw_turn(files.parsed(row.event) for row in rows))
    with Path(path).open(encoding="utf-8", errors="replace") as lines:
        return log(_openclaw_turn(files.parsed(line) for line in lines if line.strip()))


def _openclaw_turn(events: Iterator[Any]) -> Iterator[tuple[str, object, object]]:
    """Yield the messages among the events, with the plugin's times."""
    for event in events:
        message = event.get("message") if isinstance(event, dict) else None
        if isinstance(message, dict) and event.get("type") == "message":
            at = message.get("timestamp") or event.get("timestamp")
            yield str(message.get("role")), message.get("content"), at


OPENCLAW = HarnessPlace(
    harness="openclaw", name="OpenClaw", find=find_openclaw, logs=_openclaw_logs, read=read_openclaw
)
