"""A check, its result, and the common input of all checks."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from signet.errors import SignetError
from signet.paths import Workspace

if TYPE_CHECKING:
    from signet.config import Loaded, Settings
    from signet.db import ReadTx


class CheckStatus(StrEnum):
    """The result of a check; only `fail` requires action now."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class DoctorCheck(NamedTuple):
    """A check's result, subject and remedy: a command to paste, and what `--fix` does (mends.py)."""

    status: str
    check: str
    detail: str
    fix: str | None = None
    mend: str | None = None


ok = partial(DoctorCheck, CheckStatus.OK)
warn = partial(DoctorCheck, CheckStatus.WARN)
fail = partial(DoctorCheck, CheckStatus.FAIL)


class Scene(NamedTuple):
    """Input of the checks; without a readable database `tx` is missing (None)."""

    workspace: Workspace
    loaded: "Loaded"
    tx: "ReadTx | None"
    now: datetime

    @property
    def settings(self) -> "Settings":
        return self.loaded.settings


def local(instant: datetime) -> str:
    return f"{instant.astimezone():%Y-%m-%d %H:%M %Z}"


def guarded(
    name: str,
    checks: Callable[[], Iterable[DoctorCheck]],
    errors: tuple[type[Exception], ...] = (SignetError, OSError),
) -> Iterator[DoctorCheck]:
    """Yield checks; one that raises one of `errors` is a finding."""
    try:
        yield from checks()
    except errors as error:
        yield fail(name, f"the check failed: {error}", "signet daemon logs -l warn")
