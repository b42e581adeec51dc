"""One check and its outcome, and what all checks look at."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet.config import Loaded, Settings
from signet.daemon.record import Running
from signet.db import ReadTx
from signet.paths import Workspace


class Status(StrEnum):
    """How a check came out; only `fail` is a reason for a person to act now."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mend:
    """Something that `--fix` may do: what, and how; `do` returns what came of it and raises SignetError or OSError."""

    what: str
    do: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was looked at, how it is, and what to do about it: a command to paste, and what `--fix` would do."""

    check: str
    status: Status
    detail: str
    fix: str | None = None
    mend: Mend | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "check": self.check,
            "status": self.status,
            "detail": self.detail,
            "fix": self.fix,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What the checks look at: `tx` is None while there is no database that can be read."""

    workspace: Workspace
    loaded: Loaded
    environ: Mapping[str, str]
    running: Running | None
    tx: ReadTx | None
    now: datetime

    @property
    def settings(self) -> Settings:
        """Return the settings in force."""
        return self.loaded.settings


def local(instant: datetime) -> str:
    """Return an instant as people here read it."""
    return f"{instant.astimezone():%Y-%m-%d %H:%M %Z}"


def ok(check: str, detail: str) -> Check:
    """Return that it is well."""
    return Check(check=check, status=Status.OK, detail=detail)


def warn(check: str, detail: str, fix: str | None = None, mend: Mend | None = None) -> Check:
    """Return that it is worth a look."""
    return Check(check=check, status=Status.WARN, detail=detail, fix=fix, mend=mend)


def fail(check: str, detail: str, fix: str | None = None, mend: Mend | None = None) -> Check:
    """Return that it is broken."""
    return Check(check=check, status=Status.FAIL, detail=detail, fix=fix, mend=mend)
