"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-….json`, a project being named by a hash or a short name."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from signet.domain.backfill.models import Found, Home, Place, log
from signet.domain.backfill.places import files

_ROLES = {"user": "user", "gemini": "assistant", "model": "assistant"}


def find(home: Home) -> Iterator[Found]:
    """Yield the sessions in which somebody spoke."""
    root = home.path / ".gemini"
    folders = _folders(root)
    for path in files.below(root / "tmp", "*/chats/session-*.json*"):
        with suppress(OSError, ValueError):
            about, messages = _parts(path)
            if about.get("kind") == "subagent" or not any(map(_said, messages)):
                continue
            key = files.text(about.get("sessionId")) or path.stem
            yield PLACE.file(path, key, _project(path.parent.parent, folders))


def read(path: str, key: str) -> str:
    """Return what was said in a session; raises OSError, and ValueError for a file of another form."""
    _, messages = _parts(Path(path))
    return log(said for message in messages if (said := _said(message)))


def _parts(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return what a session says of itself, and its messages; newer files have a line for each."""
    if path.suffix == ".json":
        about = files.json_of(path)
        messages = about.get("messages") if isinstance(about, dict) else None
        if not isinstance(messages, list):
            raise ValueError("no session of Gemini CLI")
        return about, [one for one in messages if isinstance(one, dict)]
    with path.open(encoding="utf-8", errors="replace") as lines:
        records = [files.parsed(line) for line in lines if line.strip()]
    found = [one for one in records if isinstance(one, dict)]
    about = next((one for one in found if "sessionId" in one), {})
    # A message that was changed is written again, with the same id.
    last = {str(one.get("id", place)): one for place, one in enumerate(found)}
    return about, [*last.values()]


def _said(message: dict[str, Any]) -> tuple[str, object, object] | None:
    role = _ROLES.get(str(message.get("type")))
    parts = message.get("content")
    texts = [parts] if isinstance(parts, str) else _texts(parts)
    text = "\n".join(texts).strip()
    return (role, text, message.get("timestamp")) if role and text else None


def _texts(parts: object) -> list[str]:
    listed = parts if isinstance(parts, list) else [parts]
    return [
        one if isinstance(one, str) else str(one["text"])
        for one in listed
        if isinstance(one, str) or (isinstance(one, dict) and files.text(one.get("text")))
    ]


def _folders(root: Path) -> dict[str, str]:
    """Return the folders of known projects by what Gemini CLI may call them."""
    listed = files.json_or_none(root / "projects.json")
    projects = listed.get("projects") if isinstance(listed, dict) else None
    held = projects if isinstance(projects, dict) else {}
    named = {str(name): path for path, name in held.items()}
    trusted = files.json_or_none(root / "trustedFolders.json")
    paths = {*named.values(), *(trusted if isinstance(trusted, dict) else ())}
    hashes = {hashlib.sha256(path.encode("utf-8", "replace")).hexdigest(): path for path in paths}
    return hashes | named


def _project(folder: Path, folders: dict[str, str]) -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        return (folder / ".project_root").read_text("utf-8").strip() or None
    return folders.get(folder.name)


def logs(home: Home) -> Iterable[Path]:
    """Return the folder of each project."""
    return (home.path / ".gemini" / "tmp").glob("*/chats")


PLACE = Place(harness="gemini", name="Gemini CLI", find=find, logs=logs, read=read)
