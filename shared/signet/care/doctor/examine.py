"""All checks in display order; a check that raises is a finding."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime

from signet import config
from signet.care.doctor import database, languages, machine, place, running, security
from signet.care.doctor.models import DoctorCheck, Scene, fail
from signet.daemon import record
from signet.db import inspection
from signet.db.driver import sqlite
from signet.errors import SignetError
from signet.paths import Workspace

#: Seconds (of five in total) for reading rows.
READ_SECONDS = 3.5
_Parts = tuple[tuple[str, Callable[[Scene], Iterable[DoctorCheck]]], ...]
_PARTS: _Parts = (
    ("machine", machine.checks),
    ("workspace", place.checks),
    ("database", database.checks),
    ("languages", languages.checks),
    ("daemon", running.checks),
)
_SECURITY: _Parts = (("security", security.checks),)


def examine(
    workspace: Workspace,
    *,
    now: datetime,
    environ: Mapping[str, str] = os.environ,
    only_security: bool = False,
) -> Iterator[DoctorCheck]:
    """Yield every check as it completes, or only the security checks. Changes nothing."""
    with inspection.reading(workspace.database, seconds=READ_SECONDS) as tx:
        scene = Scene(
            workspace=workspace,
            loaded=config.load(workspace, environ),
            environ=environ,
            running=record.running(workspace),
            tx=tx,
            now=now,
        )
        for name, checks in _SECURITY if only_security else _PARTS:
            yield from _guarded(name, checks, scene)


def _guarded(
    name: str, checks: Callable[[Scene], Iterable[DoctorCheck]], scene: Scene
) -> Iterator[DoctorCheck]:
    try:
        yield from checks(scene)
    except (SignetError, OSError, sqlite.Error) as error:
        yield fail(name, f"the check failed: {error}", "signet daemon logs -l warn")
