"""`structural_classify`: file facts under aspects of their entity, several in one call (KG-7, KG-9)."""

from collections.abc import Callable, Mapping

from signet import clock
from signet.config.pipeline import Structural
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.graph import contradictions, model_answers, model_batch, model_prompts
from signet.domain.graph.contradictions import Supersede
from signet.domain.graph.models import GENERAL, MAX_ASPECTS, Classification, Fact, Subject
from signet.domain.graph.sql import attributes, entities
from signet.domain.graph.sql import facts as sql
from signet.providers.ports import LanguageModel
from signet.queue import coalesce
from signet.queue.job_context import JobContext

CONFIDENCE = 0.7
CONSTRAINT_IMPORTANCE = 0.85


def run(
    job: JobContext,
    model: LanguageModel,
    settings: Callable[[], Structural],
    *,
    supersede: Supersede,
) -> None:
    """File the job's fact, and with it those that wait for the same entity; complete these jobs.

    Raises what the provider raises, Unavailable, LeaseLost, Cancelled.
    """
    subject, facts = job.db.read(_batch, job, settings().classify_batch_size)
    if subject is None or not any(fact.job_id == job.lease.job_id for fact in facts):
        job.commit(lambda tx: {"skipped": "nothing_to_classify"})
        return
    answer = model_batch.results(
        model, model_prompts.classify(subject, facts), model_prompts.CLASSIFY_SHAPE
    )
    in_force = settings()
    least = in_force.supersession_min_confidence if in_force.supersession_enabled else None

    def write(tx: WriteTx, found: Mapping[Fact, Classification]) -> dict[str, object]:
        _write(tx, subject, found, model_answers.entity_type(answer))
        if least is not None and found:
            memory_ids = [fact.memory_id for fact in found]
            supersede(tx, contradictions.find(tx, memory_ids, least=least), clock.now())
        return {"classified": len(found)}

    model_batch.finish(job, facts, model_answers.classifications(answer, len(facts)), write)


def _batch(tx: ReadTx, job: JobContext, size: int) -> tuple[Subject | None, list[Fact]]:
    entity_id = str(job.lease.payload.get("entity_id") or "")
    subject = sql.subject(tx, entity_id)
    if subject is None:
        return None, []
    others = coalesce.waiting(tx, job.lease, "entity_id", count=size - 1)
    jobs = [(job.lease.job_id, job.lease.payload), *((one.job_id, one.payload) for one in others)]
    job_of = {str(payload.get("attribute_id")): job_id for job_id, payload in jobs}
    return subject, [
        Fact(job_id=job_of[one.id], memory_id=one.memory_id, text=one.text, attribute_id=one.id)
        for one in tx.rows(attributes.Pending, attributes.PENDING, (as_list(job_of), entity_id))
    ]


def _write(
    tx: WriteTx, subject: Subject, found: Mapping[Fact, Classification], type: str | None
) -> None:
    at = clock.to_text(clock.now())
    for fact, place in found.items():
        known = tuple(tx.column(attributes.ASPECTS, (subject.id,)))
        is_full = len(known) >= MAX_ASPECTS - 1
        name = GENERAL if is_full and place.aspect not in known else place.aspect
        where: Mapping[str, object] = {
            "id": fact.attribute_id or "",
            "aspect": attributes.aspect(tx, subject.id, name, agent_id=subject.agent_id, at=at),
            "at": at,
        }
        what = {"kind": place.kind, "confidence": CONFIDENCE, "bound": CONSTRAINT_IMPORTANCE}
        if not tx.run(attributes.CLASSIFY, {**where, **what}):
            tx.run(attributes.GIVE_WAY, where)
    if type:
        tx.run(entities.FIRST_TYPE, (type, at, subject.id))
