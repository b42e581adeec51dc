"""`structural_classify`: file what is told of an entity under its aspects."""

from signet.domain.extraction import corrections
from signet.domain.graph import classify
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def structural_classify(job: JobContext, context: Context) -> None:
    """File the job's fact and those that wait with it, if there is a model and it is wanted."""
    wanted = context.settings.pipeline.structural.enabled and context.may_write()
    model = context.language_model(yields=True) if wanted else None
    if model is None:
        job.commit(lambda tx: {"skipped": "structure_off"})
        return
    classify.run(
        job,
        model,
        lambda: context.settings.pipeline.structural,
        supersede=corrections.supersede_attributes,
    )
