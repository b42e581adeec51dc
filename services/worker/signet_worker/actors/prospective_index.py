"""`prospective_index`: write the questions that a memory may be asked for."""

from signet.domain.hints import write
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def prospective_index(job: JobContext, context: Context) -> None:
    """Ask the model for hints on the job's memory, if there is one and hints are wanted."""
    settings = context.settings.pipeline
    model = (
        context.language_model(yields=True)
        if settings.hints.enabled and context.may_write()
        else None
    )
    if model is None:
        job.commit(lambda tx: {"skipped": "hints_off"})
        return
    write.run(job, model, settings.hints)
