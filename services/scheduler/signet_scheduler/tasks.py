"""Starting the tasks that are due, and ending runs that lost their worker."""

from signet import clock
from signet.db import Database
from signet.domain.tasks import start, store
from signet.domain.tasks.models import RESTARTED
from signet.domain.tasks.perform import end_orphan, said
from signet.domain.tasks.spool import Spool
from signet.observe import logs
from signet.paths import Workspace

log = logs.get("scheduler")

#: Errors of jobs that say why a run did not come to its end; every other one was the end of a process.
_TOLD = frozenset({"cancelled", "timeout", "expired"})


class TaskClock:
    """Looks once a second; writes only when there is something to do."""

    def __init__(self, db: Database, workspace: Workspace) -> None:
        self._db = db
        self._workspace = workspace

    def look(self) -> None:
        """Start what is due; end as failed what has no job."""
        now = clock.now()
        if self._db.read(store.due, now=now):
            started = self._db.write(start.due, now=now)
            log.info("tasks.due", runs=len(started))
        for run, code in self._db.read(store.orphans):
            spool = Spool.of(self._workspace, run.id)
            ended = said(spool, code if code in _TOLD else RESTARTED)
            if self._db.write(end_orphan, run, ended, now=now):
                log.warning(
                    "task.not_ended", task_id=run.task_id, run_id=run.id, reason=ended.error
                )
            spool.remove()
