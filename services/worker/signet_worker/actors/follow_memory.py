"""`follow_memory`: hide, or bring back, more of what was read from a memory."""

from signet import clock
from signet.domain.memory import derived
from signet.domain.memory.derived import Change
from signet.domain.memory.followers import Kind
from signet.domain.memory.models import Actor
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def follow_memory(job: JobContext, context: Context) -> None:
    """Do the next part; what is left then is another job."""
    asked, root_id = job.lease.payload, job.lease.memory_id or ""
    change = Change(
        kind=Kind(str(asked["kind"])),
        actor=Actor(name=str(asked["actor"])),
        reason=str(asked["reason"]),
        at=clock.now(),
        is_asked=asked.get("isAsked") is True,
    )
    job.commit(lambda tx: {"followed": derived.follow(tx, root_id, change)})
