"""`structural_dependency`: find in facts on what their entity depends, several in one call (KG-8).

With `structural.synthesisEnabled` the entities that memories mention most are looked at as well, in turn, with all
their memories; an entity comes again when it has changed.
"""

from collections.abc import Mapping
from datetime import datetime

from signet import clock
from signet.config.pipeline import Structural
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.graph import model_answers, model_batch, model_prompts, names
from signet.domain.graph.models import Dependency, Fact, FoundDependency, Subject
from signet.domain.graph.sql import edges, entities
from signet.domain.graph.sql import facts as sql
from signet.providers.ports import LanguageModel
from signet.queue import BULK, MAX_ATTEMPTS, Job, coalesce, enqueue
from signet.queue.job_context import JobContext

STRENGTH = 0.5
CONFIDENCE = 0.7


def run(job: JobContext, model: LanguageModel, settings: Structural) -> None:
    """Look through the job's fact, and with it those that wait for the same entity; complete these jobs.

    Raises what the provider raises, Unavailable, LeaseLost, Cancelled.
    """
    subject, facts = job.db.read(_batch, job, settings)
    if subject is None or not any(fact.job_id == job.lease.job_id for fact in facts):
        job.commit(lambda tx: {"skipped": "nothing_to_look_through"})
        return
    answer = model_batch.results(
        model, model_prompts.depend(subject, facts), model_prompts.DEPEND_SHAPE
    )

    def write(tx: WriteTx, found: Mapping[Fact, tuple[FoundDependency, ...]]) -> dict[str, object]:
        at = clock.to_text(clock.now())
        return {
            "dependencies": sum(_add(tx, subject, d, at) for all_ in found.values() for d in all_)
        }

    model_batch.finish(job, facts, model_answers.dependencies(answer, facts), write)


def next_entity(tx: ReadTx, settings: Structural) -> tuple[str, str] | None:
    """Return the entity whose turn it is to be looked at as a whole, with its agent."""
    found = tx.tuples(sql.NEXT, (settings.synthesis_top_entities,))
    return found[0] if found else None


def queue_synthesis(
    tx: WriteTx, entity_id: str, agent_id: str, *, attempts: int = MAX_ATTEMPTS, now: datetime
) -> None:
    """Queue a look at all memories of an entity, whose turn is over then: one that fails does not block the others."""
    job = Job(
        kind="structural_dependency",
        dedupe_key=f"synthesis:{entity_id}",
        agent_id=agent_id,
        payload={"entity_id": entity_id, "synthesis": True},
        priority=BULK,
    )
    enqueue(tx, job, now=now, max_attempts=attempts)
    tx.run(sql.SYNTHESIZED, (clock.to_text(now), entity_id))


def _batch(tx: ReadTx, job: JobContext, settings: Structural) -> tuple[Subject | None, list[Fact]]:
    lease = job.lease
    subject = sql.subject(tx, str(lease.payload.get("entity_id") or ""))
    if subject is None:
        return None, []
    agent_id = subject.agent_id
    if lease.payload.get("synthesis"):
        job_of: dict[str, str] = {}
        found = tx.rows(
            sql.MemoryText, sql.NEWEST, (subject.id, agent_id, settings.synthesis_max_facts)
        )
    else:
        size = settings.dependency_batch_size
        others = coalesce.waiting(tx, lease, "entity_id", count=size - 1)
        job_of = {lease.memory_id or "": lease.job_id}
        job_of |= {one.memory_id or "": one.job_id for one in others}
        found = tx.rows(sql.MemoryText, sql.MEMORIES, (as_list(job_of), agent_id))
    return subject, [
        Fact(job_id=job_of.get(one.id, lease.job_id), memory_id=one.id, text=one.content)
        for one in found
    ]


def _add(tx: WriteTx, subject: Subject, found: FoundDependency, at: str) -> int:
    """Join the subject to a known entity of its agent; 0 when there is none, or they are joined so already."""
    target = entities.find(tx, names.canonical(found.target), agent_id=subject.agent_id)
    if target is None or target.id == subject.id:
        return 0
    edge = Dependency(subject.id, target.id, found.type, STRENGTH, found.reason)
    return edges.insert(tx, edge, confidence=CONFIDENCE, agent_id=subject.agent_id, at=at)
