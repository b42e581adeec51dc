"""Harnesses: programs that run agents."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import get, post


class KnownHarness(TypedDict):
    """A supported harness; `lastSeen` is its last call, `notices` are what a person has yet to do for it.

    `plugin`: it is connected by our plugin in its own list of plugins.
    """

    name: str
    id: str
    path: str
    exists: bool
    lastSeen: str | None
    connected: bool
    plugin: bool
    problems: list[str]
    notices: list[str]


class Regenerated(TypedDict):
    success: bool
    message: str
    output: str


class Harnesses(TypedDict):
    harnesses: list[KnownHarness]


HARNESSES = get("/api/harnesses", access.LOCAL, Harnesses)
REGENERATE_HARNESSES = post(
    "/api/harnesses/regenerate",
    access.programs("rewrite the settings of connected harnesses", "signet sync"),
    Regenerated,
)
