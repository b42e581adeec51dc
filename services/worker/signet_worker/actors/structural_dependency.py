"""`structural_dependency`: find on what an entity depends."""

from signet.domain.graph import dependencies
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def structural_dependency(job: JobContext, context: Context) -> None:
    """Look through the job's fact and those that wait with it, if there is a model and it is wanted."""
    settings = context.settings.pipeline.structural
    model = (
        context.language_model(yields=True) if settings.enabled and context.may_write() else None
    )
    if model is None:
        job.commit(lambda tx: {"skipped": "structure_off"})
        return
    dependencies.run(job, model, settings)
