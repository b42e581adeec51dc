"""The lines of `status` and `doctor` about captured, empty and truncated sessions."""

from collections.abc import Iterator

from signet.domain.harnesses.registry import HARNESSES
from signet.wire.capture import Capture


def name_of(harness: str) -> str:
    known = HARNESSES.get(harness)
    return known.name if known else harness


def empty(capture: Capture) -> Iterator[str]:
    """Yield each harness whose last session had a prompt but no stored message."""
    for one in capture["harnesses"]:
        if key := one["emptySession"]:
            yield f"nothing was stored of the last session of {name_of(one['harness'])} ({key})"


def unread(capture: Capture) -> Iterator[str]:
    """Yield log records of unknown types, and the number of truncated sessions."""
    for found in capture["unknownRecords"]:
        version = f" {found['version']}" if found["version"] else ""
        records = "1 record" if found["records"] == 1 else f"{found['records']} records"
        who = name_of(found["harness"]) + version
        yield f"{who} wrote {records} of an unknown type: {found['type']}"
    if count := capture["truncatedSessions"]:
        yield f"{count} {'session is' if count == 1 else 'sessions are'} too long to be stored whole"
