"""The places where harnesses keep their sessions, one file each."""

from collections.abc import Iterator
from pathlib import Path

from signet.domain.backfill.models import HarnessPlace, UserHome
from signet.domain.backfill.places import databases, files

PLACES: dict[str, HarnessPlace] = {
    place.harness: place
    for place in (
        files.CLAUDE_CODE,
        files.CODEX,
        databases.OPENCODE,
        databases.OPENCLAW,
        files.GEMINI_CLI,
        databases.CURSOR,
    )
}


def log_folders(home: UserHome) -> Iterator[Path]:
    """Yield the existing folders with only logs of sessions."""
    for place in PLACES.values():
        yield from place.logs(home)
