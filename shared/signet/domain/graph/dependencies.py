"""`structural_dependency`: find in facts on what their entity depends, several in one call (KG-8)."""

from collections.abc import Mapping

from signet import clock
from signet.config.pipeline import Structural
from signet.db import ReadTx, WriteTx
from signet.domain.graph import (
    classify_store,
    dependency_turns,
    model_answers,
    model_batch,
    model_prompts,
)
from signet.domain.graph.models import Edge, Item, Subject
from signet.providers.ports import LanguageModel
from signet.queue import coalesce
from signet.queue.job_context import JobContext


def run(job: JobContext, model: LanguageModel, settings: Structural) -> None:
    """Look through the job's fact, and with it those that wait for the same entity; complete these jobs.

    Raises what the provider raises, DroppedFromOutput, LeaseLost, Cancelled.
    """
    subject, items = job.db.read(_batch, job, settings)
    if subject is None or not any(item.job_id == job.lease.job_id for item in items):
        job.commit(lambda tx: {"skipped": "nothing_to_look_through"})
        return
    said = model_batch.results(
        model, model_prompts.depend(subject, items), model_prompts.DEPEND_SHAPE
    )

    def write(tx: WriteTx, told: Mapping[Item, tuple[Edge, ...]]) -> dict[str, object]:
        at = clock.to_text(clock.now())
        found = [edge for edges in told.values() for edge in edges]
        return {
            "dependencies": sum(classify_store.depend(tx, subject, edge, at=at) for edge in found)
        }

    model_batch.settle(job, items, model_answers.edges(said, len(items)), write)


def _batch(tx: ReadTx, job: JobContext, settings: Structural) -> tuple[Subject | None, list[Item]]:
    lease = job.lease
    subject = classify_store.subject(tx, str(lease.payload.get("entity_id") or ""))
    if subject is None:
        return None, []
    if lease.payload.get("synthesis"):
        most = settings.synthesis_max_facts
        return subject, dependency_turns.facts(
            tx, lease.job_id, subject.id, subject.agent_id, most=most
        )
    size = settings.dependency_batch_size
    others = coalesce.waiting(tx, lease, "entity_id", count=size - 1)
    jobs = [(lease.job_id, lease.memory_id or ""), *((s.job_id, s.memory_id or "") for s in others)]
    return subject, classify_store.facts(tx, jobs, subject.agent_id)
