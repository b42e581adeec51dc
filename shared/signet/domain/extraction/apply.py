"""Apply proposals: decide which become memories, and record each in history (PIP-12 to PIP-19).

All of this happens in the transaction that completes the job. In shadow and frozen mode only history is written. UPDATE
and DELETE are recorded as blocked unless `allowUpdateDelete` is set; then they are applied like a person's change,
under the pipeline's name.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from signet.db import WriteTx
from signet.domain.extraction import contradiction
from signet.domain.extraction.models import Action, ComparedMemory, Decision, Fact, Mode
from signet.domain.memory import (
    derived,
    forget,
    history,
    lookup,
    marks,
    modify,
    remember,
    review,
    wording,
)
from signet.domain.memory.derived import Change, ChangeKind
from signet.domain.memory.lookup import Refused, ValueForgotten
from signet.domain.memory.models import Actor, Event, Forget, Memory, Outcome, Patch, Rules
from signet.queue import NewJob, enqueue
from signet.wire.origin import Origin, Review, may_replace

PIPELINE = Actor(
    name="pipeline-v2", type="pipeline", origin=Origin.INFERRED, may_claim=Origin.INFERRED
)
SHADOW = Actor(name="pipeline-shadow", type="pipeline")
BLOCKED = "destructive_mutations_disabled"
CONTRADICTION = "semantic_contradiction"
#: The counters of a job's result.
_COUNTED = (
    "added updated deleted deduped skippedLowConfidence skippedForgotten blockedDestructive reviewNeeded"
    " embeddingsAdded"
).split()
#: Fields of a history row that are empty unless the outcome sets them.
_OUTCOMES = (
    "createdMemoryId updatedMemoryId deletedMemoryId dedupedExistingId blockedReason skippedReason"
).split()
#: Fields of a history row that name the memory with the fact's statement.
_STANDS_FOR = ("createdMemoryId", "dedupedExistingId", "updatedMemoryId")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One fact, its decision, and its vectors if available.

    Without a `decision`, `problem` has the reason. `skipped` is the reason why a fact is not added.
    """

    fact: Fact
    decision: Decision | None
    target: ComparedMemory | None = None
    problem: str = ""
    skipped: str | None = None
    #: Whether fact and target contradict each other in a way that their words do not show (PIP-22).
    contradicts: bool = False
    passages: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What all writes of one job have in common."""

    source: Memory
    mode: Mode
    min_confidence: float
    extraction_model: str
    embedding_model: str | None
    embed_later: bool
    fact_count: int
    entity_count: int
    #: Whether UPDATE and DELETE may be applied.
    may_change: bool
    #: The confidence that a correction needs to supersede a memory; None supersedes nothing.
    supersede_from: float | None
    #: Attempts of each job that follows from this one.
    attempts: int
    now: datetime


def proposals(
    tx: WriteTx, found: Sequence[Proposal], writing: Writing
) -> tuple[Mapping[str, int], list[tuple[str, str]]]:
    """Apply the allowed proposals and write one history row for each.

    Returns the counts of the job's result, and ID and text of each grounded fact that is now a memory.
    """
    counts: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
    facts: list[tuple[str, str]] = []
    for proposal in found:
        outcome = _one(tx, proposal, writing, counts)
        _record(tx, proposal, writing, outcome)
        if proposal.fact.is_grounded:
            stands_for = (outcome.get(name) for name in _STANDS_FOR)
            facts += [(one, proposal.fact.content) for one in stands_for if isinstance(one, str)]
    return counts, facts


def _one(
    tx: WriteTx, proposal: Proposal, writing: Writing, counts: Counter[str]
) -> dict[str, object]:
    """Apply one proposal as far as allowed; return the fields for its history row."""
    decision = proposal.decision
    if decision is None:
        return {"skippedReason": "decision_failed", "problem": proposal.problem}
    if decision.action is Action.NONE and writing.mode is Mode.CONTROLLED_WRITE and proposal.target:
        derived.found_in(tx, proposal.target.id, writing.source.id, actor=PIPELINE, at=writing.now)
    changes = decision.action in (Action.UPDATE, Action.DELETE)
    if changes and not writing.may_change:
        return _blocked(BLOCKED, proposal, counts)
    if decision.action is Action.NONE or writing.mode is not Mode.CONTROLLED_WRITE:
        return {}
    if proposal.fact.confidence < writing.min_confidence:
        counts["skippedLowConfidence"] += 1
        return {"skippedReason": "low_fact_confidence"}
    if not wording.normalize(proposal.fact.content).has_words:
        return {"skippedReason": "empty_fact_content"}
    if changes:
        return _change(tx, proposal, decision, writing, counts)
    if proposal.skipped:
        return {"skippedReason": proposal.skipped}
    try:
        return _add(tx, proposal, decision, writing, counts)
    except ValueForgotten as forgotten:
        counts["skippedForgotten"] += 1
        return {"skippedReason": forgotten.code}


def _blocked(reason: str, proposal: Proposal, counts: Counter[str]) -> dict[str, object]:
    """Record a blocked change; whether a person should review it depends on its target."""
    risk = proposal.contradicts or _risk(proposal)
    counts["blockedDestructive"] += 1
    counts["reviewNeeded"] += risk
    return {"blockedReason": reason, "contradictionRisk": risk, "reviewNeeded": risk}


def _risk(proposal: Proposal) -> bool:
    target = proposal.target
    return target is not None and contradiction.risk(proposal.fact.content, target.content)


def _change(
    tx: WriteTx, proposal: Proposal, decision: Decision, writing: Writing, counts: Counter[str]
) -> dict[str, object]:
    """Change or forget the target as a person would, but never a memory that a person has edited."""
    action, target = decision.action, proposal.target
    if target is None:
        return _blocked("missing_target_id", proposal, counts)
    if action is Action.UPDATE and (proposal.contradicts or _risk(proposal)):
        return _blocked(CONTRADICTION, proposal, counts)
    if not proposal.fact.is_grounded:
        return _blocked(f"{action}_ungrounded", proposal, counts)
    known = lookup.find(tx, target.id)
    if known is None or not _is_own(known, writing.source):
        return _blocked(f"{action}_not_found", proposal, counts)
    if known.pinned:
        return _blocked(f"{action}_pinned_requires_force", proposal, counts)
    if known.manual_override:
        return _blocked(f"{action}_manual_override", proposal, counts)
    if not may_replace(writing.source.origin, known.origin) or writing.source.review:
        if action is Action.UPDATE:
            why, source = decision.reason, writing.source.id
            review.refused(tx, source, known.id, actor=PIPELINE, why=why, now=writing.now)
        return _blocked(f"{action}_origin", proposal, counts)
    old = forget.stored_row(tx, target.id)
    apply = _update if action is Action.UPDATE else _delete
    try:
        status = apply(tx, proposal, decision, target, writing)
    except Refused as refused:  # nothing changes; history records the reason
        return _blocked(f"{action}_{refused.code}", proposal, counts)
    if status is Outcome.NO_CHANGES or old is None:
        return _blocked(f"{action}_{status}", proposal, counts)
    if action is Action.DELETE:
        forget.keep_copy(tx, old, reason=forget.PIPELINE_DELETE, at=writing.now)
        counts["deleted"] += 1
        return {"deletedMemoryId": target.id}
    forget.keep_copy(tx, old, reason=forget.SUPERSEDED, at=writing.now)
    derived.found_in(tx, target.id, writing.source.id, actor=PIPELINE, at=writing.now)
    counts["updated"] += 1
    if proposal.passages:
        _embedded(tx, target.id, proposal, writing, counts)
    return {"updatedMemoryId": target.id}


def _update(
    tx: WriteTx, proposal: Proposal, decision: Decision, target: ComparedMemory, writing: Writing
) -> Outcome:
    patch = Patch(
        memory_id=target.id,
        reason=decision.reason,
        agent_id=writing.source.agent_id,
        if_version=target.version,
        content=proposal.fact.content,
        masked=(),
    )
    rules = Rules(embed=writing.embed_later and not proposal.passages)
    return modify.modify(tx, patch, actor=PIPELINE, rules=rules, now=writing.now).status


def _delete(
    tx: WriteTx, proposal: Proposal, decision: Decision, target: ComparedMemory, writing: Writing
) -> Outcome:
    asked = Forget(
        memory_id=target.id,
        reason=decision.reason,
        agent_id=writing.source.agent_id,
        if_version=target.version,
    )
    return forget.forget_one(tx, asked, actor=PIPELINE, rules=Rules(), now=writing.now).status


def _is_own(memory: Memory, source: Memory) -> bool:
    return (memory.agent_id, memory.scope, memory.visibility) == (
        source.agent_id,
        source.scope,
        source.visibility,
    )


def _add(
    tx: WriteTx, proposal: Proposal, decision: Decision, writing: Writing, counts: Counter[str]
) -> dict[str, object]:
    fact, source = proposal.fact, writing.source
    again = Change(
        kind=ChangeKind.RECOVERED, actor=PIPELINE, reason=decision.reason, at=writing.now
    )
    if known := derived.revive_retired(tx, source, fact.content, again):
        counts["added"] += 1
        return {"createdMemoryId": known}
    inserted = remember.insert_fact(
        tx,
        content=fact.content,
        type=fact.type,
        confidence=fact.confidence,
        source=source,
        extraction_model=writing.extraction_model,
        embedding_model=writing.embedding_model if proposal.passages else None,
        metadata={
            "proposedAction": decision.action,
            "sourceMemoryId": source.id,
            "decisionConfidence": decision.confidence,
            "factConfidence": fact.confidence,
            "extractionModel": writing.extraction_model,
        },
        review=None if fact.is_grounded else Review.WAITING,
        actor=PIPELINE,
        now=writing.now,
    )
    if inserted.deduped:
        derived.found_in(tx, inserted.id, source.id, actor=PIPELINE, at=writing.now)
        counts["deduped"] += 1
        return {"dedupedExistingId": inserted.id}
    counts["added"] += 1
    if proposal.passages and writing.embedding_model:
        _embedded(tx, inserted.id, proposal, writing, counts)
    elif writing.embed_later:
        job = NewJob(kind="embed", memory_id=inserted.id, agent_id=source.agent_id)
        enqueue(tx, job, now=writing.now, max_attempts=writing.attempts)
    return {"createdMemoryId": inserted.id}


def _embedded(
    tx: WriteTx, memory_id: str, proposal: Proposal, writing: Writing, counts: Counter[str]
) -> None:
    digest = wording.content_hash(proposal.fact.content)
    model = writing.embedding_model or ""
    marks.set_vectors(tx, memory_id, digest, proposal.passages, model, writing.now)
    counts["embeddingsAdded"] += 1


def _record(
    tx: WriteTx, proposal: Proposal, writing: Writing, outcome: Mapping[str, object]
) -> None:
    decision, fact = proposal.decision, proposal.fact
    shadow = writing.mode is not Mode.CONTROLLED_WRITE
    metadata: dict[str, object] = {
        "shadow": shadow,
        "proposedAction": decision.action if decision else None,
        "targetMemoryId": decision.target_id if decision else None,
        "targetContent": proposal.target.content if proposal.target else None,
        "confidence": decision.confidence if decision else fact.confidence,
        "fact": {"content": fact.content, "type": fact.type, "confidence": fact.confidence},
        "extractionModel": writing.extraction_model,
        "factCount": writing.fact_count,
        "entityCount": writing.entity_count,
        "reviewNeeded": False,
        "contradictionRisk": False,
        **dict.fromkeys(_OUTCOMES),
    }
    history.record(
        tx,
        writing.source.id,
        Event.NONE,
        actor=SHADOW if shadow else PIPELINE,
        at=writing.now,
        reason=decision.reason if decision else proposal.problem,
        metadata={**metadata, **outcome},
    )
