"""Backfill: earlier sessions of harnesses on this machine, read as if they had just ended."""

from typing import Literal, TypedDict

from signet.wire import access
from signet.wire.operation import get, post

BackfillState = Literal["none", "running", "finishing", "stopped", "done"]


class BackfillHarness(TypedDict):
    """The sessions of one harness: all requested ones, and the unread ones with their size."""

    harness: str
    name: str
    sessions: int
    newSessions: int
    bytes: int
    oldest: str
    newest: str


class BackfillProject(TypedDict):
    project: str | None
    sessions: int


class BackfillSurvey(TypedDict):
    """Available sessions. `bytes` and `seconds` (an estimate) cover the unread ones."""

    sessions: int
    newSessions: int
    bytes: int
    repositories: int
    seconds: int
    harnesses: list[BackfillHarness]
    projects: list[BackfillProject]


class StartedBackfill(BackfillSurvey):
    """The started backfill; nothing is queued with `dryRun`."""

    dryRun: bool


class BackfillFailure(TypedDict):
    harness: str
    path: str
    reason: str


class Backfill(TypedDict):
    """Progress of the last run.

    `known` sessions had no new content; `indexing` and `summarizing` ones are being processed. `seconds` is the
    estimated rest. `finishing`: all are read; `stopped`: sessions wait without a reader.
    """

    state: BackfillState
    startedAt: str | None
    sessions: int
    waiting: int
    read: int
    known: int
    failed: int
    indexing: int
    summarizing: int
    bytes: int
    bytesRead: int
    seconds: int
    failures: list[BackfillFailure]


class StoppedBackfill(TypedDict):
    stopped: int


BACKFILL = get("/api/backfill", access.LOCAL, Backfill)
START_BACKFILL = post("/api/backfill", access.OPERATOR, StartedBackfill)
STOP_BACKFILL = post("/api/backfill/stop", access.OPERATOR, StoppedBackfill)
