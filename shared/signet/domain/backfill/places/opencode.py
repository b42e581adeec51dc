"""OpenCode: its database `~/.local/share/opencode/opencode.db`, and before that one file for each message and part.

What is read are the texts of messages, as the plugin hands them over, so that a session is the same by both ways.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from signet.domain.backfill.models import Found, Home, Place, log
from signet.domain.backfill.places import files
from signet.domain.backfill.sql import others

_DATABASE = "opencode.db"


def find(home: Home) -> Iterator[Found]:
    """Yield the sessions that a person had, those of helpers not."""
    folder = home.folder("XDG_DATA_HOME", ".local", "share") / "opencode"
    database, known = folder / _DATABASE, set()
    for row in others.read(database, others.OpenCodeRow, others.OPENCODE):
        known.add(row.id)
        at = files.instant(row.at)
        if at is not None:
            yield Found(
                harness=PLACE.harness,
                key=row.id,
                path=str(database),
                bytes=row.bytes,
                changed_at=at,
                project=row.directory,
            )
    for path in files.below(folder / "storage" / "session", "*/*.json"):
        if path.stem not in known and (found := _stored(path)) is not None:
            yield found


def _stored(path: Path) -> Found | None:
    about = files.json_or_none(path)
    if not isinstance(about, dict) or about.get("parentID"):
        return None
    time = about.get("time")
    at = files.instant(time.get("updated")) if isinstance(time, dict) else None
    with suppress(OSError):
        size = sum(one.stat().st_size for _, parts in _messages(path) for one in parts)
        found = PLACE.file(path, path.stem, files.text(about.get("directory")))
        return replace(found, bytes=size, changed_at=at or found.changed_at)
    return None


def read(path: str, key: str) -> str:
    """Return the texts of a session; raises OSError, and ValueError for a file of another form."""
    if Path(path).name != _DATABASE:
        held = (
            (files.json_of(message), [files.json_of(one) for one in parts])
            for message, parts in _messages(Path(path))
        )
        return log(_said(held))
    rows = others.asked(Path(path), others.PartRow, others.OPENCODE_PARTS, (key,))
    messages: dict[str, tuple[Any, list[Any]]] = {}
    for row in rows:
        _, parts = messages.setdefault(row.message_id, (files.parsed(row.message), []))
        parts.append(files.parsed(row.part))
    return log(_said(messages.values()))


def _messages(path: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield the files of a session's messages in order, each with those of its parts."""
    storage = path.parents[2]
    for message in sorted(files.below(storage / "message" / path.stem, "*.json")):
        yield message, sorted(files.below(storage / "part" / message.stem, "*.json"))


def _said(messages: Iterable[tuple[Any, list[Any]]]) -> Iterator[tuple[str, object, object]]:
    for message, parts in messages:
        spoken = [one for one in parts if isinstance(one, dict) and one.get("type") == "text"]
        texts = [_typed(one) for one in spoken if not one.get("synthetic")]
        text = "\n".join(texts).strip()
        if text and isinstance(message, dict):
            time = message.get("time")
            at = time.get("created") if isinstance(time, dict) else None
            yield str(message.get("role")), text, at


def _typed(part: dict[str, Any]) -> str:
    """Return the text of a part, or the command that the person typed in place of it, as our plugin marks it."""
    marks = part.get("metadata")
    typed = marks.get("signet") if isinstance(marks, dict) else None
    return str(part.get("text", "") if typed is None else typed)


PLACE = Place(harness="opencode", name="OpenCode", find=find, read=read)
