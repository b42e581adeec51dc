"""The scheduler's work, from the database's opening to its close. The supervisor loads this module before it forks."""

import fcntl
import threading
from functools import partial

from signet.db import damage, schedule
from signet.domain.activity.events import Flusher
from signet.observe import logs
from signet.process.boot import Booted, open_database
from signet.process.coordination import join
from signet.process.memory import Thrift
from signet.process.settings_reload import LiveSettings
from signet_scheduler.git import GitWatch
from signet_scheduler.notes import NoteWatch
from signet_scheduler.skills import SkillWatch
from signet_scheduler.sync import HarnessSync
from signet_scheduler.tick import Ticker, place_jobs

log = logs.get("scheduler")

TICK_SECONDS = 1.0
#: Seconds between attempts of a waiting scheduler to lead.
TRY_SECONDS = 0.25


def serve(booted: Booted) -> int:
    """Wait to be this machine's only scheduler; watch its files, and tick while leading, until stopped."""
    workspace = booted.workspace
    leads = (workspace.runtime_dir / "scheduler.lock").open("ab")
    while not _is_leader(leads.fileno()):
        booted.pulse.beat()
        if booted.stop.wait(TRY_SECONDS):
            return 0
    db = open_database(workspace)
    coordination = join(db, workspace, "scheduler")
    coordination.announce()
    live = LiveSettings(workspace, booted.loaded)
    live.start()
    flusher = Flusher(db, live)
    flusher.start()
    rescuer = coordination.rescuer()
    watches = (
        SkillWatch(db, live, workspace),
        HarnessSync(live, workspace),
        NoteWatch(db, live, workspace),
        GitWatch(live, workspace),
    )
    for watch in watches:
        watch.start()
    thrift = Thrift(db.rest)
    thrift.start()
    if db.url is None:
        examination = partial(damage.examine, db.path, lambda: booted.stop.is_set)
        threading.Thread(target=examination, name="examine", daemon=True).start()
    ticker: Ticker | None = None
    while True:
        if not coordination.leads():
            ticker = None
        elif ticker is None:
            epoch = db.write(schedule.lead, coordination.owner, coordination.clock.monotonic_ms())
            place_jobs(db)
            ticker = Ticker(db, live, rescuer, workspace, lambda: booted.pulse.beat(db.holding))
            log.info("scheduler.leads", epoch=epoch, owner=coordination.owner)
        if ticker is not None:
            ticker.tick()
        booted.pulse.beat(db.holding, needs_restart=db.needs_restart())
        if booted.stop.wait(TICK_SECONDS):
            break
    thrift.stop()
    for watch in watches:
        watch.stop()
    if ticker is not None:
        ticker.close()
    flusher.stop()
    live.stop()
    coordination.withdraw()
    db.close()
    coordination.close()
    leads.close()
    log.info("scheduler.stopped")
    return 0


def _is_leader(lock: int) -> bool:
    """Take the lock of this machine's scheduler if it is free; the row `scheduler_lease` shows the leader to people."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
