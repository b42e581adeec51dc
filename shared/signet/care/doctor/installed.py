"""The checks of machine, workspace, stored data and models; a running daemon does them for the command."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial

from signet import config
from signet.care.doctor import database, languages, machine, place, use
from signet.care.doctor.models import DoctorCheck, Scene, guarded
from signet.db import inspection
from signet.db.driver import sqlite
from signet.errors import SignetError
from signet.paths import Workspace

#: Seconds (of five in total) for reading rows.
READ_SECONDS = 3.5
Parts = Iterable[tuple[str, Callable[[Scene], Iterable[DoctorCheck]]]]
_MODULES = (machine, place, database, languages, use)


def checks(
    workspace: Workspace, environ: Mapping[str, str], *, now: datetime, parts: Parts | None = None
) -> Iterator[DoctorCheck]:
    """Yield every check of the parts as it completes. Changes nothing."""
    loaded = config.load(workspace, environ)
    with inspection.reading(workspace.database, seconds=READ_SECONDS) as tx:
        scene = Scene(workspace, loaded, tx, now)
        every = ((one.__name__.rpartition(".")[2], one.checks) for one in _MODULES)
        for name, part in parts or every:
            yield from guarded(name, partial(part, scene), (SignetError, OSError, sqlite.Error))
