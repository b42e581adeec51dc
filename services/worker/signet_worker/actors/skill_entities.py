"""`skill_entities`: tie a skill to what its text speaks of."""

from signet.domain.extraction.distill import Model
from signet.domain.skills import entities
from signet.domain.skills.models import Rules
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def skill_entities(job: JobContext, context: Context) -> None:
    """Read the text of the job's skill, if there is a model to do it and the graph is on."""
    rules = Rules.of(context.settings)
    model = context.language_model() if rules.enabled and rules.entities else None
    if model is None:
        job.commit(lambda tx: {"skipped": "entities_off"})
        return
    reader = Model(model, context.settings)
    entities.run(job, lambda text: reader.extract(text, lambda digest: False).triples)
