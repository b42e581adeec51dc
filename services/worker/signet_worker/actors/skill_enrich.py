"""`skill_enrich`: let a model say what a skill's file leaves out."""

from signet.domain.skills import enrich
from signet.domain.skills.models import Rules
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def skill_enrich(job: JobContext, context: Context) -> None:
    """Enrich the job's skill, if there is a model and enrichment is on."""
    rules = Rules.of(context.settings)
    model = context.language_model() if rules.enabled and rules.enrich else None
    if model is None:
        job.commit(lambda tx: {"skipped": "enrichment_off"})
        return
    timeout_ms = context.settings.pipeline.extraction.timeout_ms
    enrich.run(job, model, lambda: Rules.of(context.settings), seconds=timeout_ms / 1000)
