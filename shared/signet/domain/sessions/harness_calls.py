"""When each harness has called last."""

from datetime import datetime

from signet import clock
from signet.db import ReadTx, WriteTx, runtime_settings

#: Names of harnesses that are kept, and their length: they come from outside.
MAX_HARNESSES = 50
HARNESS_CHARS = 64

_SEEN = "harness.seen:"


def note(tx: WriteTx, harness: str, *, now: datetime) -> None:
    """Note that a harness has called (HK-4)."""
    name, seen = harness[:HARNESS_CHARS], last(tx)
    if name in seen or len(seen) < MAX_HARNESSES:
        runtime_settings.put(tx, f"{_SEEN}{name}", clock.to_text(now))


def last(tx: ReadTx) -> dict[str, str]:
    """Return when each harness has called last (ISO, UTC)."""
    return runtime_settings.get_all(tx, _SEEN)
