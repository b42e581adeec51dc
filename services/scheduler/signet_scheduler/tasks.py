"""Starting the tasks that are due, and ending runs that lost their worker."""

from signet import clock
from signet.db import Database
from signet.domain.tasks import perform, start
from signet.observe import logs
from signet.paths import Workspace

log = logs.get("scheduler")


class TaskClock:
    """Looks once a second; writes only when there is something to do."""

    def __init__(self, db: Database, workspace: Workspace) -> None:
        self._db = db
        self._workspace = workspace

    def look(self) -> None:
        """Start what is due; end as failed what has no job."""
        now = clock.now()
        if self._db.read(start.is_due, now=now):
            started = self._db.write(start.due, now=now)
            log.info("tasks.due", runs=len(started))
        perform.end_orphans(self._db, self._workspace, now=now)
