"""The places where harnesses keep their sessions, one file each."""

from collections.abc import Iterator
from pathlib import Path

from signet.domain.backfill.models import Home, Place
from signet.domain.backfill.places import claude_code, codex, cursor, gemini, openclaw, opencode

PLACES: dict[str, Place] = {
    place.harness: place
    for place in (
        claude_code.PLACE,
        codex.PLACE,
        opencode.PLACE,
        openclaw.PLACE,
        gemini.PLACE,
        cursor.PLACE,
    )
}


def log_folders(home: Home) -> Iterator[Path]:
    """Yield the folders on this disk that hold nothing but logs of sessions."""
    for place in PLACES.values():
        yield from place.logs(home)
