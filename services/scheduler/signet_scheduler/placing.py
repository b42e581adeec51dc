"""When the scheduler becomes the leader, move waiting jobs into the queues of this version."""

from signet import clock
from signet.db import Database
from signet.observe import logs
from signet.queue import placement

log = logs.get("scheduler")


def place_jobs(db: Database) -> None:
    """Move misplaced jobs in batches, and end jobs whose cancel an older version forgot."""
    db.write(placement.end_cancelled, now=clock.now())
    for wanted in db.read(placement.misplaced):
        log.info("jobs.moved", kind=wanted.kind, queue=wanted.queue, target=wanted.target)
        while db.write(placement.move, wanted, now=clock.now()):
            pass
