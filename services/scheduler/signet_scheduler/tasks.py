"""Start due tasks, and end runs that lost their worker."""

from signet import clock
from signet.db import Database
from signet.domain.tasks import run
from signet.observe import logs
from signet.paths import Workspace

log = logs.get("scheduler")


def look(db: Database, workspace: Workspace) -> None:
    """Start due tasks; fail runs without a job. Writes only if there is something to do."""
    now = clock.now()
    if db.read(run.is_due, now=now):
        started = db.write(run.due, now=now)
        log.info("tasks.due", runs=len(started))
    run.end_orphans(db, workspace, now=now)
