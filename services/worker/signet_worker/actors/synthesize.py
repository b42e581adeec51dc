"""`synthesize`: write the MEMORY.md of one agent."""

from signet.domain.synthesis import run as synthesis
from signet.domain.synthesis.plan import Plan
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def synthesize(job: JobContext, context: Context) -> None:
    """Write the file of the job's agent."""
    plan = Plan.of(context.settings)
    synthesis.run(job, context.synthesis_model(), plan, context.workspace)
