"""Captured and unread messages of harnesses."""

from typing import TypedDict


class HarnessCapture(TypedDict):
    """When the last captured message of a harness was said, and the key of a later session of which nothing is."""

    harness: str
    lastMessageAt: str | None
    emptySession: str | None


class UnknownRecords(TypedDict):
    """Log records that look like messages and are of no known type, of one version of a harness."""

    harness: str
    version: str | None
    type: str
    records: int


class Capture(TypedDict):
    """Captures per harness; `truncatedSessions` counts sessions with shortened or left-out messages."""

    harnesses: list[HarnessCapture]
    unknownRecords: list[UnknownRecords]
    truncatedSessions: int


class LogCounts(TypedDict):
    """The counts of one session's log."""

    version: str | None
    messages: int
    unknownRecords: dict[str, int]
    shortened: int
    leftOut: int
