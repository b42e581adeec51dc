"""Decide what to do with each fact, comparing it with similar memories and earlier facts.

The slow parts (vectors, models) run here, without an open transaction.
"""

from collections.abc import Sequence
from dataclasses import replace

from signet import clock
from signet.config import Settings
from signet.domain.embeddings import vectors as embeddings
from signet.domain.extraction import candidates, escalate
from signet.domain.extraction.apply import Proposal
from signet.domain.extraction.contradiction import risk, says_the_same
from signet.domain.extraction.distill import Distiller
from signet.domain.extraction.escalate import Gate
from signet.domain.extraction.models import Action, ComparedMemory, Decision, Fact
from signet.domain.memory import wording
from signet.domain.memory.models import Memory
from signet.errors import ProviderDown, ProviderFailed
from signet.observe import logs, record, taxonomy
from signet.observe.taxonomy import Code
from signet.providers.ports import Embedder
from signet.queue.job_context import JobContext

log = logs.get("pipeline")

Passages = tuple[tuple[str, bytes], ...]


def all(
    job: JobContext,
    distiller: Distiller,
    embedder: Embedder | None,
    source: Memory,
    facts: Sequence[Fact],
    settings: Settings,
    *,
    is_last: bool,
) -> list[Proposal]:
    """Decide on each fact; a failure does not stop the others (PIP-10), unless this is the last attempt.

    Raises ProviderDown, LeaseLost, Cancelled, and ProviderFailed when `is_last`.
    """
    gate = job.db.read(escalate.gate, settings.pipeline.write_gate, source, now=clock.now())
    model = embedder.model if embedder else None
    proposed: list[Proposal] = []
    seen: set[str] = set()
    for fact, vectors in zip(facts, _embedded(embedder, facts), strict=True):
        digest = wording.content_hash(fact.content)
        if digest in seen:
            continue
        seen.add(digest)
        job.check()
        before = [one.fact.content for one in proposed if _adds(one)]
        proposed.append(
            _nothing_new(fact, source, before)
            or _one(
                job,
                distiller,
                source,
                fact,
                vectors,
                gate,
                model=model,
                least=settings.pipeline.extraction.min_confidence,
                is_last=is_last,
            )
        )
    if not settings.pipeline.autonomous.allow_update_delete:
        return proposed
    return [_checked(distiller, one) for one in proposed]


def _adds(proposal: Proposal) -> bool:
    return proposal.decision is not None and proposal.decision.action is Action.ADD


def _nothing_new(fact: Fact, source: Memory, before: Sequence[str]) -> Proposal | None:
    """Return the proposal for a fact that repeats its source or an earlier fact in nearly the same words."""
    if says_the_same(fact.content, source.content):
        return Proposal(fact=fact, decision=_decided(Action.NONE, fact, "its source says the same"))
    if any(says_the_same(fact.content, one) for one in before):
        reason = "a fact of the same text says the same"
        return Proposal(fact=fact, decision=_decided(Action.NONE, fact, reason))
    return None


def _one(
    job: JobContext,
    distiller: Distiller,
    source: Memory,
    fact: Fact,
    vectors: Passages,
    gate: Gate | None,
    *,
    model: str | None,
    least: float,
    is_last: bool,
) -> Proposal:
    if fact.confidence < least:  # it will not be written, so no model needs to decide
        return Proposal(fact=fact, decision=_decided(Action.ADD, fact, "its confidence is too low"))
    vector = vectors[0][1] if vectors else None
    known: list[ComparedMemory] = job.db.read(
        candidates.like, source, fact.content, vector, model=model
    )
    if not known:
        new = _decided(Action.ADD, fact, "no memory resembles it")
        return Proposal(fact=fact, decision=new, passages=vectors)
    if gate and escalate.is_low(fact, known, gate):
        new = _decided(Action.ADD, fact, "a memory of its type is nearly the same")
        return Proposal(fact=fact, decision=new, skipped=escalate.LOW)
    try:
        decided = distiller.decide(fact, known)
    except ProviderDown:
        raise  # the job waits without using an attempt
    except ProviderFailed as error:
        if is_last:
            raise  # the queue determines the cause
        _failed(source, taxonomy.of_decision(error), error.message)
        return Proposal(fact=fact, decision=None, problem=error.message)
    if decided.problem:
        _failed(source, Code.DECISION_INVALID, decided.problem)
    target = next((one for one in known if one.id == decided.target_id), None)
    return Proposal(fact=fact, decision=decided, target=target, passages=vectors)


def _failed(source: Memory, code: Code, detail: str) -> None:
    log.warning("decision.failed", memory_id=source.id, detail=detail)
    record.error(code, detail, memory_id=source.id)


def _checked(distiller: Distiller, proposal: Proposal) -> Proposal:
    """Check whether an update contradicts its target; a difference visible in the words needs no model (PIP-22)."""
    decision, target = proposal.decision, proposal.target
    if decision is None or target is None or decision.action is not Action.UPDATE:
        return proposal
    new, old = proposal.fact.content, target.content
    if risk(new, old):
        return proposal
    return replace(proposal, contradicts=distiller.contradicts(new, old))


def _decided(action: Action, fact: Fact, reason: str) -> Decision:
    return Decision(action=action, target_id=None, confidence=fact.confidence, reason=reason)


def _embedded(embedder: Embedder | None, facts: Sequence[Fact]) -> list[Passages]:
    """Return the passages of each fact with their vectors; empty ones without an embedder.

    A fact without vectors is still written, and gets an embed job (PIP-11).
    """
    if embedder is None or not facts:
        return [()] * len(facts)
    pieces = [embeddings.split_passages(fact.content) for fact in facts]
    try:
        vectors = iter(embedder.embed([piece for split in pieces for piece in split]))
    except (ProviderDown, ProviderFailed) as error:
        log.info("extraction.without_vectors", reason=error.message)
        return [()] * len(facts)
    return [tuple((piece, next(vectors)) for piece in split) for split in pieces]
