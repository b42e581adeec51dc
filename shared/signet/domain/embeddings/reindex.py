"""Follow a change of the vectors' width: the index is made anew in the background, in small transactions.

The vectors themselves are replaced by the tracker (`gaps.py`). Recall is right all the time: it compares vectors of the
configured model one by one, or by their signs, until the index is whole.
"""

from datetime import datetime

from signet.db import WriteTx, vectors
from signet.queue import BULK, Job, enqueue
from signet.queue.job_context import JobContext

KIND = "vector_index"
#: Vectors of one transaction: about 20 ms.
STEP = 200


def look(tx: WriteTx, *, dimensions: int, now: datetime) -> None:
    """Queue the rebuilding of an index that is missing, not whole or of another width."""
    if vectors.needs_rebuild(tx, dimensions):
        enqueue(tx, Job(kind=KIND, dedupe_key="vectors", priority=BULK), now=now)


def run(job: JobContext, *, dimensions: int) -> None:
    """Rebuild the index and complete the job; raises LeaseLost, Cancelled."""
    steps = 0
    while job.progress(lambda tx: vectors.rebuild(tx, dimensions, limit=STEP)):
        job.check()
        steps += 1
    job.commit(lambda tx: {"steps": steps})
