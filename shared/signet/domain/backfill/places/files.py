"""Sessions in log files: Claude Code, Codex and Gemini CLI."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from signet.domain.backfill.models import FoundSession, HarnessPlace, UserHome, log

#: Bytes read from the start of a log to find its session, which is not always in the first line.
HEAD_BYTES = 256 * 1024
#: A line may contain a picture. A longer one is not read, nor is the rest of a log that begins with one.
LINE_BYTES = 64 * 1_048_576


def below(folder: Path, pattern: str) -> Iterator[Path]:
    """Yield the files below a folder that match a pattern; none if it is unreadable."""
    with suppress(OSError):
        for path in folder.glob(pattern):
            with suppress(OSError):
                if path.is_file():
                    yield path


def head(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of the first lines of a log, at least of one; none if it is unreadable."""
    with suppress(OSError), path.open("rb") as file:
        found = 0
        while (file.tell() < HEAD_BYTES or not found) and (line := file.readline(LINE_BYTES)):
            if len(line) == LINE_BYTES:
                return
            record = parsed(line.decode("utf-8-sig", "replace"))
            if isinstance(record, dict):
                found += 1
                yield record


def text(value: object) -> str | None:
    """Return a non-blank text, None for anything else."""
    return value if isinstance(value, str) and value.strip() else None


def json_of(path: Path) -> Any:
    """Return the JSON value of a file; raises OSError, and ValueError for another form of file."""
    try:
        return json.loads(path.read_bytes().decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def parsed(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def json_or_none(path: Path) -> Any:
    with suppress(OSError, ValueError):
        return json_of(path)
    return None


def instant(milliseconds: object) -> datetime | None:
    if isinstance(milliseconds, int | float) and not isinstance(milliseconds, bool):
        with suppress(ValueError, OverflowError, OSError):
            return datetime.fromtimestamp(milliseconds / 1000, UTC)
    return None


HELPER = "agent-"


def find_claude_code(home: UserHome) -> Iterator[FoundSession]:
    """Yield the sessions with messages, with their first folder."""
    for path in below(*_claude_logs(home), "*/*.jsonl"):
        records = [*head(path)]
        if path.name.startswith(HELPER) or all(one.get("isSidechain") for one in records):
            continue
        cwd = next((found for one in records if (found := text(one.get("cwd")))), None)
        with suppress(OSError):
            yield CLAUDE_CODE.file(path, path.stem, cwd)


def _claude_logs(home: UserHome) -> tuple[Path]:
    return (home.folder("CLAUDE_CONFIG_DIR", ".claude") / "projects",)


CLAUDE_CODE = HarnessPlace(
    harness="claude-code", name="Claude Code", find=find_claude_code, logs=_claude_logs
)


_CODEX_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
#: The name under which Codex runs a single request, as Signet does from the home folder.
_EXEC = "codex_exec"


def find_codex(home: UserHome) -> Iterator[FoundSession]:
    running, archived = _codex_logs(home)
    for path in (*below(running, "**/rollout-*.jsonl"), *below(archived, "rollout-*.jsonl")):
        with suppress(OSError):
            if (found := _found_codex(path, home)) is not None:
                yield found


def _codex_logs(home: UserHome) -> tuple[Path, Path]:
    root = home.folder("CODEX_HOME", ".codex")
    return root / "sessions", root / "archived_sessions"


def _found_codex(path: Path, home: UserHome) -> FoundSession | None:
    about: Mapping[str, Any] = next(head(path), {})
    payload = about.get("payload")
    if isinstance(payload, dict):
        about = payload
    is_ours = about.get("originator") == _EXEC and about.get("cwd") == str(home.path)
    if (
        isinstance(about.get("source"), dict) or is_ours
    ):  # a helper has a source that names who sent it
        return None
    named = _CODEX_ID.search(path.stem)
    key = text(about.get("id")) or (named[0] if named else None)
    if key is None:
        return None
    return CODEX.file(path, key, text(about.get("cwd")))


CODEX = HarnessPlace(harness="codex", name="Codex", find=find_codex, logs=_codex_logs)


_GEMINI_ROLES = {"user": "user", "gemini": "assistant", "model": "assistant"}


def find_gemini(home: UserHome) -> Iterator[FoundSession]:
    root = home.path / ".gemini"
    folders = _gemini_folders(root)
    for path in below(root / "tmp", "*/chats/session-*.json*"):
        with suppress(OSError, ValueError):
            about, messages = _gemini_parts(path)
            if about.get("kind") == "subagent" or not any(map(_gemini_turn, messages)):
                continue
            key = text(about.get("sessionId")) or path.stem
            yield GEMINI_CLI.file(path, key, _gemini_project(path.parent.parent, folders))


def read_gemini(path: str, key: str) -> str:
    """Return the messages of a session; raises OSError, and ValueError for another form of file."""
    _, messages = _gemini_parts(Path(path))
    return log(said for message in messages if (said := _gemini_turn(message)))


def _gemini_parts(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the metadata and messages of a session; newer files have one line each."""
    if path.suffix == ".json":
        about = json_of(path)
        messages = about.get("messages") if isinstance(about, dict) else None
        if not isinstance(messages, list):
            raise ValueError("no session of Gemini CLI")
        return about, [one for one in messages if isinstance(one, dict)]
    with path.open(encoding="utf-8", errors="replace") as lines:
        records = [parsed(line) for line in lines if line.strip()]
    found = [one for one in records if isinstance(one, dict)]
    about = next((one for one in found if "sessionId" in one), {})
    # A message that was changed is written again, with the same id.
    last = {str(one.get("id", place)): one for place, one in enumerate(found)}
    return about, [*last.values()]


def _gemini_turn(message: dict[str, Any]) -> tuple[str, object, object] | None:
    role = _GEMINI_ROLES.get(str(message.get("type")))
    parts = message.get("content")
    texts = [parts] if isinstance(parts, str) else _gemini_texts(parts)
    text = "\n".join(texts).strip()
    return (role, text, message.get("timestamp")) if role and text else None


def _gemini_texts(parts: object) -> list[str]:
    listed = parts if isinstance(parts, list) else [parts]
    return [
        one if isinstance(one, str) else str(one["text"])
        for one in listed
        if isinstance(one, str) or (isinstance(one, dict) and text(one.get("text")))
    ]


def _gemini_folders(root: Path) -> dict[str, str]:
    """Return the folders of known projects by the names that Gemini CLI may use."""
    listed = json_or_none(root / "projects.json")
    projects = listed.get("projects") if isinstance(listed, dict) else None
    held = projects if isinstance(projects, dict) else {}
    named = {str(name): path for path, name in held.items()}
    trusted = json_or_none(root / "trustedFolders.json")
    paths = {*named.values(), *(trusted if isinstance(trusted, dict) else ())}
    hashes = {hashlib.sha256(path.encode("utf-8", "replace")).hexdigest(): path for path in paths}
    return hashes | named


def _gemini_project(folder: Path, folders: dict[str, str]) -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        return (folder / ".project_root").read_text("utf-8").strip() or None
    return folders.get(folder.name)


def _gemini_logs(home: UserHome) -> Iterable[Path]:
    return (home.path / ".gemini" / "tmp").glob("*/chats")


GEMINI_CLI = HarnessPlace(
    harness="gemini-cli", name="Gemini CLI", find=find_gemini, logs=_gemini_logs, read=read_gemini
)
