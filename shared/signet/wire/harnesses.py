"""Programs whose agents remember here."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class KnownHarness(TypedDict):
    """A program whose agents can remember here; `lastSeen` is when it called last."""

    name: str
    id: str
    path: str
    exists: bool
    lastSeen: str | None
    connected: bool
    problems: list[str]


class Regenerated(TypedDict):
    """What became of the files that harnesses read."""

    success: bool
    message: str
    output: str


class Harnesses(TypedDict):
    """Every harness that can be connected."""

    harnesses: list[KnownHarness]


HARNESSES = Operation("GET", "/api/harnesses", access.LOCAL, Harnesses)
REGENERATE_HARNESSES = Operation(
    "POST",
    "/api/harnesses/regenerate",
    access.programs("rewrite the settings of connected harnesses", "signet sync"),
    Regenerated,
)
