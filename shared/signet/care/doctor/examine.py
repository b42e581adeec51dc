"""All checks in display order; a check that raises is a finding."""

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial

from signet.care.doctor import running
from signet.care.doctor.models import CheckStatus, DoctorCheck, guarded
from signet.client import PlainSignet
from signet.daemon import record
from signet.errors import SignetError
from signet.paths import Workspace


def examine(
    workspace: Workspace,
    *,
    now: datetime,
    environ: Mapping[str, str] = os.environ,
    only_security: bool = False,
) -> Iterator[DoctorCheck]:
    """Yield every check as it completes, or only the security checks. Changes nothing.

    If a daemon runs, it makes all other checks itself, because it has loaded the product already.
    """
    found = record.running(workspace)
    parts = None
    if only_security:
        from signet.care.doctor import security

        parts = [("security", partial(security.checks, running=found))]
    daemon = running.answers(workspace, found)
    is_asked = daemon.status == CheckStatus.OK and not only_security
    if is_asked and (known := _by_daemon(workspace)):
        yield from known
    else:
        from signet.care.doctor import installed

        yield from installed.checks(workspace, environ, now=now, parts=parts)
    if not only_security:
        yield daemon
        yield from guarded("daemon", partial(running.checks, workspace, found, environ))


def _by_daemon(workspace: Workspace) -> list[DoctorCheck]:
    """Return the daemon's checks; none from one of an earlier version, or that stops meanwhile."""
    signet = PlainSignet(path=str(workspace.root), environ={}, actor="doctor")
    try:
        return [DoctorCheck(**one) for one in signet.doctor()]
    except SignetError:
        return []
