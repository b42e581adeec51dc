"""Codex: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl` below `~/.codex`, or below `$CODEX_HOME`."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from signet.domain.backfill.models import Found, Home, Place
from signet.domain.backfill.places import files

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
#: How Codex calls itself where it is asked for one answer, as Signet asks it, from the home folder.
_EXEC = "codex_exec"


def find(home: Home) -> Iterator[Found]:
    """Yield the sessions that a person had."""
    running, archived = logs(home)
    for path in (
        *files.below(running, "**/rollout-*.jsonl"),
        *files.below(archived, "rollout-*.jsonl"),
    ):
        with suppress(OSError):
            if (found := _found(path, home)) is not None:
                yield found


def logs(home: Home) -> tuple[Path, Path]:
    """Return the folders of running and of archived sessions."""
    root = home.folder("CODEX_HOME", ".codex")
    return root / "sessions", root / "archived_sessions"


def _found(path: Path, home: Home) -> Found | None:
    about: Mapping[str, Any] = next(files.head(path), {})
    payload = about.get("payload")
    if isinstance(payload, dict):
        about = payload
    is_ours = about.get("originator") == _EXEC and about.get("cwd") == str(home.path)
    if (
        isinstance(about.get("source"), dict) or is_ours
    ):  # a helper has a source that names who sent it
        return None
    named = _ID.search(path.stem)
    key = files.text(about.get("id")) or (named[0] if named else None)
    if key is None:
        return None
    return PLACE.file(path, key, files.text(about.get("cwd")))


PLACE = Place(harness="codex", name="Codex", find=find, logs=logs)
