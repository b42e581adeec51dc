"""`structural_classify`: file facts under aspects of their entity, several in one call (KG-7, KG-9)."""

from collections.abc import Callable, Mapping

from signet import clock
from signet.config.pipeline import Structural
from signet.db import ReadTx, WriteTx
from signet.domain.graph import (
    classify_store,
    contradictions,
    model_answers,
    model_batch,
    model_prompts,
)
from signet.domain.graph.contradictions import Supersede
from signet.domain.graph.models import Item, Placed, Subject
from signet.providers.ports import LanguageModel
from signet.queue import coalesce
from signet.queue.job_context import JobContext


def run(
    job: JobContext,
    model: LanguageModel,
    settings: Callable[[], Structural],
    *,
    supersede: Supersede,
) -> None:
    """File the job's fact, and with it those that wait for the same entity; complete these jobs.

    Raises what the provider raises, DroppedFromOutput, LeaseLost, Cancelled.
    """
    subject, items = job.db.read(_batch, job, settings().classify_batch_size)
    if subject is None or not any(item.job_id == job.lease.job_id for item in items):
        job.commit(lambda tx: {"skipped": "nothing_to_classify"})
        return
    said = model_batch.results(
        model, model_prompts.classify(subject, items), model_prompts.CLASSIFY_SHAPE
    )
    in_force = settings()
    least = in_force.supersession_min_confidence if in_force.supersession_enabled else None

    def write(tx: WriteTx, told: Mapping[Item, Placed]) -> dict[str, object]:
        _write(tx, subject, told, model_answers.entity_type(said))
        if least is not None and told:
            memory_ids = [item.memory_id for item in told]
            supersede(tx, contradictions.find(tx, memory_ids, least=least), clock.now())
        return {"classified": len(told)}

    model_batch.settle(job, items, model_answers.placed(said, len(items)), write)


def _batch(tx: ReadTx, job: JobContext, size: int) -> tuple[Subject | None, list[Item]]:
    entity_id = str(job.lease.payload.get("entity_id") or "")
    subject = classify_store.subject(tx, entity_id)
    if subject is None:
        return None, []
    others = coalesce.waiting(tx, job.lease, "entity_id", count=size - 1)
    jobs = [(job.lease.job_id, job.lease.payload), *((one.job_id, one.payload) for one in others)]
    wanted = [(job_id, str(payload.get("attribute_id"))) for job_id, payload in jobs]
    return subject, classify_store.stubs(tx, wanted, entity_id)


def _write(
    tx: WriteTx,
    subject: Subject,
    told: Mapping[Item, Placed],
    type: str | None,
) -> None:
    at = clock.to_text(clock.now())
    for item, placed in told.items():
        classify_store.place(tx, subject, item, placed, at=at)
    if type:
        classify_store.set_type(tx, subject.id, type, at=at)
