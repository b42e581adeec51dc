"""Captured and unread messages of harnesses."""

from typing import TypedDict


class HarnessCapture(TypedDict):
    """The time of a harness's last captured message, and the key of a later session without any."""

    harness: str
    lastMessageAt: str | None
    emptySession: str | None


class UnknownRecords(TypedDict):
    """Log records that look like messages but have an unknown type, for one version of a harness."""

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
