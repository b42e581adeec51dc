"""`trace_use`: find out what a session used of what it was given."""

from signet.domain.injections import trace
from signet.queue.held import Run
from signet_worker.context import Context


def trace_use(job: Run, context: Context) -> None:
    """Look through the job's session."""
    trace.run(job)
