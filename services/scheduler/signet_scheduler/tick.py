"""The leading scheduler's work each second. A failing part is logged and does not stop the others."""

from collections.abc import Callable

from signet import clock
from signet.db import Database, schedule
from signet.db.checkpoint import Checkpointer
from signet.domain.tasks import run
from signet.observe import logs, metrics
from signet.paths import Workspace
from signet.process.rescuer import Rescuer
from signet.process.settings_reload import LiveSettings
from signet.queue import placement
from signet_scheduler import beats
from signet_scheduler.clock_guard import ClockGuard

log = logs.get("scheduler")

#: Ticks between checks for expired leases; deaths are noticed at once (see rescuer.py).
EXPIRED_EVERY_TICKS = 10


class Ticker:
    """The parts of a tick and their state."""

    def __init__(
        self,
        db: Database,
        live: LiveSettings,
        rescuer: Rescuer,
        workspace: Workspace,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        """Store the dependencies; `beat` is called after each part, because one may wait for the write lock."""
        self._db = db
        self._live = live
        self._rescuer = rescuer
        self._workspace = workspace
        self._beat = beat
        self._checkpointer = Checkpointer(db.path) if db.url is None else None
        self._last_runs = db.read(schedule.last_runs)
        self._clock_guard = ClockGuard(db)
        self._news = db.news()
        #: The time of the next task, as text.
        self._task_at: str | None = None
        self._ticks = 0

    def tick(self) -> None:
        """Do one second's work."""
        self._try("clock", self._clock_guard.poll)  # before anything that checks due times
        has_news = self._news.has_come()
        if has_news:
            self._try("watch", self._rescuer.poll)
        if self._ticks % EXPIRED_EVERY_TICKS == 0:
            self._try("expired", self._rescuer.end_expired)
            self._try("unlocked", self._rescuer.forget_unlocked)
        self._try("beats", self._beats)
        if has_news or (self._task_at is not None and self._task_at <= clock.to_text(clock.now())):
            self._try("tasks", self._tasks)
        if self._checkpointer is not None:
            self._try("checkpoint", self._checkpointer.poll)
        self._ticks += 1

    def close(self) -> None:
        """Close the checkpointer; SQLite checkpoints the rest when the last process closes the file."""
        self._news.close()
        if self._checkpointer is not None:
            self._checkpointer.close()

    def _beats(self) -> None:
        now = clock.now()
        settings = self._live.settings
        for beat in beats.due(self._last_runs, settings, now_ms=int(now.timestamp() * 1000)):
            self._last_runs[beat.name] = beats.run(self._db, beat, settings, now)
            metrics.BEATS.labels(beat.name).inc()

    def _tasks(self) -> None:
        look_at_tasks(self._db, self._workspace)
        self._task_at = self._db.read(run.next_at)

    def _try(self, part: str, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:
            log.exception("tick.failed", part=part)
        self._beat()


def place_jobs(db: Database) -> None:
    """Move misplaced jobs in batches."""
    for wanted in db.read(placement.misplaced):
        log.info("jobs.moved", kind=wanted.kind, queue=wanted.queue, target=wanted.target)
        while db.write(placement.move, wanted, now=clock.now()):
            pass


def look_at_tasks(db: Database, workspace: Workspace) -> None:
    """Start due tasks; fail runs without a job. Writes only if there is something to do."""
    now = clock.now()
    if db.read(run.is_due, now=now):
        started = db.write(run.due, now=now)
        log.info("due", runs=len(started))
    run.end_orphans(db, workspace, now=now)
