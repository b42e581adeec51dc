"""A check, its result, and the common input of all checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet.care.steps import CareStep
from signet.config import Loaded, Settings
from signet.daemon.record import Running
from signet.db import ReadTx
from signet.paths import Workspace


class CheckStatus(StrEnum):
    """The result of a check; only `fail` requires action now."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorCheck:
    """A check's subject, result and remedy: a command to paste, and the repair for `--fix`."""

    check: str
    status: CheckStatus
    detail: str
    fix: str | None = None
    mend: CareStep | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            "check": self.check,
            "status": self.status,
            "detail": self.detail,
            "fix": self.fix,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Input of the checks; without a readable database `tx` is missing (None)."""

    workspace: Workspace
    loaded: Loaded
    environ: Mapping[str, str]
    running: Running | None
    tx: ReadTx | None
    now: datetime

    @property
    def settings(self) -> Settings:
        return self.loaded.settings


def local(instant: datetime) -> str:
    """Return an instant in local time."""
    return f"{instant.astimezone():%Y-%m-%d %H:%M %Z}"


def ok(check: str, detail: str) -> DoctorCheck:
    """Return a passed check."""
    return DoctorCheck(check=check, status=CheckStatus.OK, detail=detail)


def warn(
    check: str, detail: str, fix: str | None = None, mend: CareStep | None = None
) -> DoctorCheck:
    """Return a check with a warning."""
    return DoctorCheck(check=check, status=CheckStatus.WARN, detail=detail, fix=fix, mend=mend)


def fail(
    check: str, detail: str, fix: str | None = None, mend: CareStep | None = None
) -> DoctorCheck:
    """Return a failed check."""
    return DoctorCheck(check=check, status=CheckStatus.FAIL, detail=detail, fix=fix, mend=mend)
