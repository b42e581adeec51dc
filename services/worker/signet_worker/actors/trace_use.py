"""`trace_use`: find out what a session used of what it was given."""

from signet.domain.injections import trace
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def trace_use(job: JobContext, context: Context) -> None:
    """Look through the job's session."""
    trace.run(job)
