"""The lines of `status` and `doctor` about captured, empty and truncated sessions."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signet.wire.capture import Capture


def empty(capture: "Capture", names: Mapping[str, str]) -> Iterator[str]:
    """Yield each harness whose last session had a prompt but no stored message."""
    for one in capture["harnesses"]:
        if key := one["emptySession"]:
            yield f"nothing was stored of the last session of {names.get(one['harness'], one['harness'])} ({key})"


def unread(capture: "Capture", names: Mapping[str, str]) -> Iterator[str]:
    """Yield log records of unknown types, and the number of truncated sessions."""
    for found in capture["unknownRecords"]:
        version = f" {found['version']}" if found["version"] else ""
        records = "1 record" if found["records"] == 1 else f"{found['records']} records"
        who = names.get(found["harness"], found["harness"]) + version
        yield f"{who} wrote {records} of an unknown type: {found['type']}"
    if count := capture["truncatedSessions"]:
        yield f"{count} {'session is' if count == 1 else 'sessions are'} too long to be stored whole"
