"""`structural_classify`: file facts under aspects of their entity, several in one call (KG-7, KG-9)."""

from collections.abc import Callable, Mapping

from signet import clock
from signet.config.pipeline import Structural
from signet.db import ReadTx, WriteTx
from signet.domain.extraction import corrections
from signet.domain.structural import answer, ask, prompt, store
from signet.domain.structural.models import Item, Placed, Subject
from signet.providers.ports import LanguageModel
from signet.queue import coalesce
from signet.queue.job_context import JobContext


def run(job: JobContext, model: LanguageModel, settings: Callable[[], Structural]) -> None:
    """File the job's fact, and with it those that wait for the same entity; complete these jobs.

    Raises what the provider raises, DroppedFromOutput, LeaseLost, Cancelled.
    """
    subject, items = job.db.read(_batch, job, settings().classify_batch_size)
    if subject is None or not any(item.job_id == job.lease.job_id for item in items):
        job.commit(lambda tx: {"skipped": "nothing_to_classify"})
        return
    said = ask.results(model, prompt.classify(subject, items), prompt.CLASSIFY_SHAPE)
    in_force = settings()
    least = in_force.supersession_min_confidence if in_force.supersession_enabled else None

    def write(tx: WriteTx, told: Mapping[Item, Placed]) -> dict[str, object]:
        return _write(tx, subject, told, answer.entity_type(said), least)

    ask.settle(job, items, answer.placed(said, len(items)), write)


def _batch(tx: ReadTx, job: JobContext, size: int) -> tuple[Subject | None, list[Item]]:
    entity_id = str(job.lease.payload.get("entity_id") or "")
    subject = store.subject(tx, entity_id)
    if subject is None:
        return None, []
    others = coalesce.waiting(tx, job.lease, "entity_id", count=size - 1)
    jobs = [(job.lease.job_id, job.lease.payload), *((one.job_id, one.payload) for one in others)]
    wanted = [(job_id, str(payload.get("attribute_id"))) for job_id, payload in jobs]
    return subject, store.stubs(tx, wanted, entity_id)


def _write(
    tx: WriteTx,
    subject: Subject,
    told: Mapping[Item, Placed],
    type: str | None,
    least: float | None,
) -> dict[str, object]:
    now = clock.now()
    at = clock.to_text(now)
    for item, placed in told.items():
        store.place(tx, subject, item, placed, at=at)
    if type:
        store.set_type(tx, subject.id, type, at=at)
    if least is not None and told:
        corrections.attributes(tx, [item.memory_id for item in told], least=least, now=now)
    return {"classified": len(told)}
