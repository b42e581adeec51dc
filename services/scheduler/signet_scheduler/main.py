"""The scheduler process: one tick per second.

Each tick starts due beats, watches new processes and checks the write-ahead log. It runs no jobs; leases and
checkpoints are handled here because they must work when the queue does not.
"""

import contextlib
import fcntl
import os
import sys
import threading
from functools import partial

from signet.process.boot import Booted, boot, open_database
from signet.process.program import Program

TICK_SECONDS = 1.0
#: Seconds between attempts of a waiting scheduler to lead.
TRY_SECONDS = 0.25
NICENESS = 5


def main() -> int:
    """Run until stopped."""
    booted = boot(Program.SCHEDULER)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
    return serve(booted)


def serve(booted: Booted) -> int:
    """Wait to become the leader, then tick until stopped."""
    from signet import clock
    from signet.db import damage, schedule
    from signet.domain.activity.events import Flusher
    from signet.observe import logs
    from signet.process.liveness import Presence
    from signet.process.memory import Thrift
    from signet.process.rescuer import Rescuer
    from signet.process.settings_reload import LiveSettings
    from signet.queue.wakeup import Notifier
    from signet_scheduler.git import GitWatch
    from signet_scheduler.notes import NoteWatch
    from signet_scheduler.skills import SkillWatch
    from signet_scheduler.sync import HarnessSync
    from signet_scheduler.tick import Ticker, place_jobs

    log = logs.get("scheduler")
    workspace = booted.workspace
    leads = (workspace.runtime_dir / "scheduler.lock").open("ab")
    while not _is_leader(leads.fileno()):
        booted.pulse.beat()
        if booted.stop.wait(TRY_SECONDS):
            return 0
    db = open_database(workspace)
    presence = Presence(workspace.runtime_dir, "scheduler")
    db.write(presence.announce, now=clock.now())
    epoch = db.write(schedule.lead, presence.owner, clock.monotonic_ms())
    notifier = Notifier(workspace.runtime_dir)
    db.writer.listen(lambda signals: notifier.notify())
    live = LiveSettings(workspace, booted.loaded)
    live.start()
    flusher = Flusher(db, live)
    flusher.start()
    place_jobs(db)
    rescuer = Rescuer(db, workspace.runtime_dir, presence.owner)
    ticker = Ticker(db, live, rescuer, workspace, lambda: booted.pulse.beat(db.holding))
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
    examination = partial(damage.examine, db.path, lambda: booted.stop.is_set)
    threading.Thread(target=examination, name="examine", daemon=True).start()
    log.info("scheduler.leads", epoch=epoch, owner=presence.owner)
    while True:
        ticker.tick()
        booted.pulse.beat(db.holding, needs_restart=db.needs_restart())
        if booted.stop.wait(TICK_SECONDS):
            break
    thrift.stop()
    for watch in watches:
        watch.stop()
    ticker.close()
    flusher.stop()
    live.stop()
    presence.withdraw(db)
    db.close()
    presence.close()
    leads.close()
    log.info("scheduler.stopped")
    return 0


def _is_leader(lock: int) -> bool:
    """Take the lock of the leader if it is free; the row `scheduler_lease` shows the leader to people."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
