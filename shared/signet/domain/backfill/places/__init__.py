"""The places where harnesses keep their sessions, one file each."""

from signet.domain.backfill.models import Place
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
