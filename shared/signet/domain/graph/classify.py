"""`structural_classify`: file facts under aspects of their entity, several in one call (KG-7, KG-9)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from signet import clock
from signet.config.pipeline import Structural
from signet.db import ReadTx, WriteTx, fts
from signet.db.dialect import as_list
from signet.domain.graph import contradictions, names
from signet.domain.graph.contradictions import Supersede
from signet.domain.graph.models import (
    DEPENDENCY_TYPES,
    ENTITY_TYPES,
    GENERAL,
    KINDS,
    MAX_ASPECT_CHARS,
    MAX_ASPECTS,
    UNKNOWN,
    BatchFact,
    Classification,
    Dependency,
    FoundDependency,
    Subject,
)
from signet.domain.graph.sql import attributes, entities
from signet.domain.graph.sql import attributes as sql
from signet.errors import Unavailable
from signet.providers import answers, asking
from signet.providers.asking import BOOLEAN, INTEGER, TEXT, an_object, ask_model, list_of, one_of
from signet.providers.ports import LanguageModel, Shape
from signet.queue import BULK, MAX_ATTEMPTS, NewJob, coalesce, enqueue
from signet.queue.job_context import JobContext


def read_results(raw: str) -> answers.Json | None:
    """Return the object with the results in an answer, None without one."""
    found = list(answers.objects(raw))
    items: list[object] = [one for one in found if "i" in one]
    bare: answers.Json | None = {"results": items} if items else None  # without the object around
    return next((one for one in found if isinstance(one.get("results"), list)), bare)


def read_classifications(answer: answers.Json | None, count: int) -> Mapping[int, Classification]:
    """Map fact indexes to aspects and kinds; facts without an aspect are missing.

    An unreadable answer files all of them under the general aspect.
    """
    if answer is None:
        return dict.fromkeys(range(count), Classification(aspect=GENERAL, kind=KINDS[0]))
    found: dict[int, Classification] = {}
    for place, item in _items(answer, count):
        aspect = _aspect(answers.text(item, "aspect"))
        kind = answers.text(item, "kind").lower()
        if aspect:
            found.setdefault(
                place, Classification(aspect=aspect, kind=kind if kind in KINDS else KINDS[0])
            )
    return found


def entity_type(answer: answers.Json | None) -> str | None:
    """Return the model's type for the entity, None if it is unknown."""
    type = answers.text(answer, "entity_type").lower()
    return type if type in ENTITY_TYPES else None


def read_dependencies(
    answer: answers.Json | None, facts: Sequence[BatchFact]
) -> Mapping[int, tuple[FoundDependency, ...]]:
    """Map fact indexes to dependencies; facts missing from the answer are missing.

    An unreadable answer has none. Targets that the fact does not name are ignored (PIP-64).
    """
    if answer is None:
        return dict.fromkeys(range(len(facts)), ())
    return {
        place: tuple(_dependencies(item.get("dependencies"), facts[place].text))
        for place, item in _items(answer, len(facts))
    }


def _items(answer: answers.Json, count: int) -> Iterator[tuple[int, answers.Json]]:
    listed = answer.get("results")
    for item in listed if isinstance(listed, list) else ():
        number = answers.number(item, "i")
        if number is not None and number.is_integer() and 1 <= number <= count:
            yield int(number) - 1, item


def _dependencies(listed: object, fact: str) -> Iterator[FoundDependency]:
    named = set(fts.words(names.canonical(fact)))
    for item in listed if isinstance(listed, list) else ():
        target = names.clean(answers.text(item, "target"))
        type = "_".join(answers.text(item, "type").lower().split())
        is_named = target and named.issuperset(fts.words(names.canonical(target)))
        if target and is_named and type in DEPENDENCY_TYPES:
            yield FoundDependency(
                target=target, type=type, reason=answers.text(item, "reason")[:200]
            )


def _aspect(raw: str) -> str:
    """Return an aspect's canonical name, cut at a word; empty for an answer without letters."""
    text = names.canonical(raw.strip("*_`\"' .:"))
    if len(text) > MAX_ASPECT_CHARS:
        text = text[: MAX_ASPECT_CHARS + 1].rpartition(" ")[0][:MAX_ASPECT_CHARS] or GENERAL
    return text if any(sign.isalpha() for sign in text) else ""


T = TypeVar("T")

SECONDS = 90.0
TOKENS = 2_048
#: The model's answer passes a fact over; the next request is about this fact alone.
DROPPED = Unavailable(
    "dropped_from_llm_output: the answer passes this fact over", "dropped_from_llm_output"
)


def ask(model: LanguageModel, request: str, shape: Shape) -> answers.Json | None:
    """Return the results of the model's answer, None after two unreadable answers."""
    return ask_model(
        model, request, read_results, shape=shape, timeout_seconds=SECONDS, max_tokens=TOKENS
    )


def finish_batch(
    job: JobContext,
    facts: Sequence[BatchFact],
    found: Mapping[int, T],
    write: Callable[[WriteTx, Mapping[BatchFact, T]], dict[str, object]],
) -> None:
    """Write the results and end their jobs; raises DROPPED if the run's own fact has none.

    `found` are the results by index of the fact; `write` stores them and returns the job's result.
    """
    answered = {facts[place]: value for place, value in found.items()}
    mine = job.lease.job_id

    def effects(tx: WriteTx) -> dict[str, object]:
        result = write(tx, answered)
        for fact in facts:
            if fact.job_id == mine:
                continue
            if fact in answered:
                coalesce.complete(tx, fact.job_id, by=mine, now=clock.now())
            else:
                coalesce.leave_alone(tx, fact.job_id)
        return result

    if any(fact.job_id == mine for fact in answered):
        job.commit(effects)
        return
    job.progress(effects)
    raise DROPPED


#: Aspects to begin with, by the type of the entity.
_SUGGESTED: Mapping[str, str] = {
    "person": "preferences, background, work, relationships, decision patterns",
    "project": "architecture, decisions, status, dependencies, conventions, people",
    "system": "configuration, dependencies, behaviour, operation, limits",
    "tool": "configuration, usage, limits, versions",
    "concept": "definition, rules, examples",
    "skill": "usage, prerequisites, steps",
    "task": "goal, status, owner, blockers",
}
_OTHER = "properties, events, decisions, configuration, usage"

_CLASSIFY = """\
Numbered facts tell of one entity. File each under an aspect of the entity: one to three lower-case words that name what
part of it the fact is about. Use a known aspect where one fits. Return one JSON object and nothing else:
{"results": [{"i": 1, "aspect": "...", "kind": "attribute|constraint", "new": true|false}], "entity_type": "..."}
- Every fact has exactly one result; i is its number.
- kind: constraint for what must, may not or was decided to hold; else attribute.
- entity_type: person, project, system, tool, concept, skill, task or unknown.
"""
_DEPEND = f"""\
Numbered facts tell of one entity. Say on which other things they say it depends. Return one JSON object and nothing
else:
{{"results": [{{"i": 1, "dependencies": [{{"target": "...", "type": "...", "reason": "..."}}]}}]}}
- Every fact has exactly one result; i is its number; dependencies is empty when the fact names no other thing.
- target: the name of the other thing as the fact writes it, never the entity itself.
- type: {", ".join(DEPENDENCY_TYPES)}.
"""

CLASSIFY_SHAPE = an_object(
    results=list_of(an_object(i=INTEGER, aspect=TEXT, kind=one_of(KINDS), new=BOOLEAN)),
    entity_type=one_of(ENTITY_TYPES | {UNKNOWN}),
)
DEPEND_SHAPE = an_object(
    results=list_of(
        an_object(
            i=INTEGER,
            dependencies=list_of(
                an_object(target=TEXT, type=one_of(DEPENDENCY_TYPES), reason=TEXT)
            ),
        )
    )
)


def classify_prompt(subject: Subject, facts: Sequence[BatchFact]) -> str:
    suggested = _SUGGESTED.get(subject.type, _OTHER)
    known = ", ".join(subject.aspects) or "none yet"
    shown = f"Known aspects: {known}\n{_facts(subject, facts)}"
    return f"{_CLASSIFY}Usual aspects: {suggested}\n{asking.fenced('facts', shown)}"


def dependency_prompt(subject: Subject, facts: Sequence[BatchFact]) -> str:
    return f"{_DEPEND}{asking.fenced('facts', _facts(subject, facts))}"


def _facts(subject: Subject, facts: Sequence[BatchFact]) -> str:
    numbered = "\n".join(f"{number}. {fact.text}" for number, fact in enumerate(facts, 1))
    return f"Entity: {subject.name} ({subject.type})\n{numbered}"


CLASSIFIED_CONFIDENCE = 0.7
CONSTRAINT_IMPORTANCE = 0.85


def run_classify(
    job: JobContext,
    model: LanguageModel,
    settings: Callable[[], Structural],
    *,
    supersede: Supersede,
) -> None:
    """File the job's fact and waiting facts of the same entity, and complete their jobs.

    Raises what the provider raises, Unavailable, LeaseLost, Cancelled.
    """
    subject, facts = job.db.read(_batch, job, settings().classify_batch_size)
    if subject is None or not any(fact.job_id == job.lease.job_id for fact in facts):
        job.commit(lambda tx: {"skipped": "nothing_to_classify"})
        return
    answer = ask(model, classify_prompt(subject, facts), CLASSIFY_SHAPE)
    in_force = settings()
    least = in_force.supersession_min_confidence if in_force.supersession_enabled else None

    def write(tx: WriteTx, found: Mapping[BatchFact, Classification]) -> dict[str, object]:
        _write(tx, subject, found, entity_type(answer))
        if least is not None and found:
            memory_ids = [fact.memory_id for fact in found]
            supersede(tx, contradictions.find(tx, memory_ids, least=least), clock.now())
        return {"classified": len(found)}

    finish_batch(job, facts, read_classifications(answer, len(facts)), write)


def _batch(tx: ReadTx, job: JobContext, size: int) -> tuple[Subject | None, list[BatchFact]]:
    entity_id = str(job.lease.payload.get("entity_id") or "")
    subject = attributes.subject(tx, entity_id)
    if subject is None:
        return None, []
    others = coalesce.waiting(tx, job.lease, "entity_id", count=size - 1)
    jobs = [(job.lease.job_id, job.lease.payload), *((one.job_id, one.payload) for one in others)]
    job_of = {str(payload.get("attribute_id")): job_id for job_id, payload in jobs}
    return subject, [
        BatchFact(
            job_id=job_of[one.id], memory_id=one.memory_id, text=one.text, attribute_id=one.id
        )
        for one in tx.rows(attributes.Pending, attributes.PENDING, (as_list(job_of), entity_id))
    ]


def _write(
    tx: WriteTx, subject: Subject, found: Mapping[BatchFact, Classification], type: str | None
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
        what = {
            "kind": place.kind,
            "confidence": CLASSIFIED_CONFIDENCE,
            "bound": CONSTRAINT_IMPORTANCE,
        }
        if not tx.run(attributes.CLASSIFY, {**where, **what}):
            tx.run(attributes.GIVE_WAY, where)
    if type:
        tx.run(entities.FIRST_TYPE, (type, at, subject.id))


DEPENDENCY_STRENGTH = 0.5
DEPENDENCY_CONFIDENCE = 0.7


def run_dependencies(job: JobContext, model: LanguageModel, settings: Structural) -> None:
    """Find dependencies in the job's fact and waiting facts of the same entity, and complete their jobs.

    Raises what the provider raises, Unavailable, LeaseLost, Cancelled.
    """
    subject, facts = job.db.read(_dependency_batch, job, settings)
    if subject is None or not any(fact.job_id == job.lease.job_id for fact in facts):
        job.commit(lambda tx: {"skipped": "nothing_to_look_through"})
        return
    answer = ask(model, dependency_prompt(subject, facts), DEPEND_SHAPE)

    def write(
        tx: WriteTx, found: Mapping[BatchFact, tuple[FoundDependency, ...]]
    ) -> dict[str, object]:
        at = clock.to_text(clock.now())
        return {
            "dependencies": sum(_add(tx, subject, d, at) for all_ in found.values() for d in all_)
        }

    finish_batch(job, facts, read_dependencies(answer, facts), write)


def next_entity(tx: ReadTx, settings: Structural) -> tuple[str, str] | None:
    found = tx.tuples(sql.NEXT, (settings.synthesis_top_entities,))
    return found[0] if found else None


def queue_synthesis(
    tx: WriteTx, entity_id: str, agent_id: str, *, attempts: int = MAX_ATTEMPTS, now: datetime
) -> None:
    """Queue a job that examines an entity, and mark it as examined, so that a failure does not block the others."""
    job = NewJob(
        kind="structural_dependency",
        dedupe_key=f"synthesis:{entity_id}",
        agent_id=agent_id,
        payload={"entity_id": entity_id, "synthesis": True},
        priority=BULK,
    )
    enqueue(tx, job, now=now, max_attempts=attempts)
    tx.run(sql.SYNTHESIZED, (clock.to_text(now), entity_id))


def _dependency_batch(
    tx: ReadTx, job: JobContext, settings: Structural
) -> tuple[Subject | None, list[BatchFact]]:
    lease = job.lease
    subject = sql.subject(tx, str(lease.payload.get("entity_id") or ""))
    if subject is None:
        return None, []
    agent_id = subject.agent_id
    if lease.payload.get("synthesis"):
        job_of: dict[str, str] = {}
        found = tx.rows(
            sql.MemoryText,
            sql.NEWEST_MEMORIES,
            (subject.id, agent_id, settings.synthesis_max_facts),
        )
    else:
        size = settings.dependency_batch_size
        others = coalesce.waiting(tx, lease, "entity_id", count=size - 1)
        job_of = {lease.memory_id or "": lease.job_id}
        job_of |= {one.memory_id or "": one.job_id for one in others}
        found = tx.rows(sql.MemoryText, sql.FACT_MEMORIES, (as_list(job_of), agent_id))
    return subject, [
        BatchFact(job_id=job_of.get(one.id, lease.job_id), memory_id=one.id, text=one.content)
        for one in found
    ]


def _add(tx: WriteTx, subject: Subject, found: FoundDependency, at: str) -> int:
    """Add an edge to a known entity; 0 without one, or if it exists."""
    target = entities.find(tx, names.canonical(found.target), agent_id=subject.agent_id)
    if target is None or target.id == subject.id:
        return 0
    edge = Dependency(subject.id, target.id, found.type, DEPENDENCY_STRENGTH, found.reason)
    return entities.insert_edge(
        tx, edge, confidence=DEPENDENCY_CONFIDENCE, agent_id=subject.agent_id, at=at
    )
