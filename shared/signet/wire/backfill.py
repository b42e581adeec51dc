"""Backfill: the sessions that harnesses kept on this machine before, read as if they ended now."""

from typing import Literal, TypedDict

from signet.wire import access
from signet.wire.operation import Operation

BackfillState = Literal["none", "running", "finishing", "stopped", "done"]


class BackfillHarness(TypedDict):
    """The sessions of one harness: all that are asked for, and those that are not read yet, with their size."""

    harness: str
    name: str
    sessions: int
    newSessions: int
    bytes: int
    oldest: str
    newest: str


class BackfillProject(TypedDict):
    """How many sessions of a project are not read yet."""

    project: str | None
    sessions: int


class BackfillSurvey(TypedDict):
    """What there is to read. `bytes` and `seconds` (an estimate) are of what is new."""

    sessions: int
    newSessions: int
    bytes: int
    repositories: int
    seconds: int
    harnesses: list[BackfillHarness]
    projects: list[BackfillProject]


class StartedBackfill(BackfillSurvey):
    """What is read now; with `dryRun` nothing is."""

    dryRun: bool


class BackfillFailure(TypedDict):
    """A session that could not be read."""

    harness: str
    path: str
    reason: str


class Backfill(TypedDict):
    """How far the last run is.

    `known` sessions brought nothing new; `indexing` and `summarizing` were read and are worked on. `seconds` is about
    what is left. `finishing` is when all is read, `stopped` when sessions wait and nothing reads them.
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
    """How many sessions are no longer waited for."""

    stopped: int


BACKFILL = Operation("GET", "/api/backfill", access.LOCAL, Backfill)
START_BACKFILL = Operation("POST", "/api/backfill", access.OPERATOR, StartedBackfill)
STOP_BACKFILL = Operation("POST", "/api/backfill/stop", access.OPERATOR, StoppedBackfill)
