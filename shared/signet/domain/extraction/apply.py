"""Controlled writes: which proposals become memories, and what is written down about each (PIP-12 … PIP-19).

Everything here happens in the one transaction that completes the job. In shadow and frozen mode only history is
written. UPDATE and DELETE are recorded as blocked: this version never changes or removes a memory by itself.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from signet.db import WriteTx
from signet.domain.embeddings import store as vectors
from signet.domain.extraction import contradiction
from signet.domain.extraction.models import Action, Candidate, Decision, Fact
from signet.domain.memory import history, normalize, remember
from signet.domain.memory.models import Actor, Event, Memory
from signet.queue import Job, enqueue

PIPELINE = Actor(name="pipeline-v2", type="pipeline")
SHADOW = Actor(name="pipeline-shadow", type="pipeline")
BLOCKED = "destructive_mutations_disabled"


class Mode(StrEnum):
    """How far the pipeline may go; the strings are what /api/pipeline/status shows."""

    DISABLED = "disabled"
    FROZEN = "frozen"
    SHADOW = "shadow"
    CONTROLLED_WRITE = "controlled-write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One fact, what is to be done with it, and its vectors when there are any.

    `decision` is None when it could not be decided; `problem` then says why.
    """

    fact: Fact
    decision: Decision | None
    target: Candidate | None = None
    problem: str = ""
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
    #: How sure a correction must be to supersede something; None: nothing is superseded.
    supersede_from: float | None
    now: datetime


def proposals(
    tx: WriteTx, found: Sequence[Proposal], writing: Writing
) -> tuple[Mapping[str, int], list[tuple[str, str]]]:
    """Write what may be written and one history row per proposal.

    Returns the counts of the job's result, and id and text of each fact that is a memory now.
    """
    counts: Counter[str] = Counter(
        dict.fromkeys(
            (
                "added",
                "updated",
                "deleted",
                "deduped",
                "skippedLowConfidence",
                "blockedDestructive",
                "reviewNeeded",
                "embeddingsAdded",
            ),
            0,
        )
    )
    facts: list[tuple[str, str]] = []
    for proposal in found:
        outcome = _one(tx, proposal, writing, counts)
        _record(tx, proposal, writing, outcome)
        memory_id = outcome.get("createdMemoryId") or outcome.get("dedupedExistingId")
        if isinstance(memory_id, str):
            facts.append((memory_id, proposal.fact.content))
    return counts, facts


def _one(
    tx: WriteTx, proposal: Proposal, writing: Writing, counts: Counter[str]
) -> dict[str, object]:
    """Do what one proposal asks for, as far as it is allowed; return the fields its history row adds."""
    decision = proposal.decision
    if decision is None:
        return {"skippedReason": "decision_failed", "problem": proposal.problem}
    if decision.action in (Action.UPDATE, Action.DELETE):
        counts["blockedDestructive"] += 1
        target = proposal.target.content if proposal.target else ""
        risk = contradiction.risk(proposal.fact.content, target)
        counts["reviewNeeded"] += risk
        return {"blockedReason": BLOCKED, "contradictionRisk": risk, "reviewNeeded": risk}
    if decision.action is Action.NONE or writing.mode is not Mode.CONTROLLED_WRITE:
        return {}
    if proposal.fact.confidence < writing.min_confidence:
        counts["skippedLowConfidence"] += 1
        return {"skippedReason": "low_fact_confidence"}
    if not normalize.normalize(proposal.fact.content).has_words:
        return {"skippedReason": "empty_fact_content"}
    return _add(tx, proposal, decision, writing, counts)


def _add(
    tx: WriteTx,
    proposal: Proposal,
    decision: Decision,
    writing: Writing,
    counts: Counter[str],
) -> dict[str, object]:
    fact, source = proposal.fact, writing.source
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
        actor=PIPELINE,
        now=writing.now,
    )
    if inserted.deduped:
        counts["deduped"] += 1
        return {"dedupedExistingId": inserted.id}
    counts["added"] += 1
    if proposal.passages and writing.embedding_model:
        digest = normalize.content_hash(fact.content)
        vectors.replace(
            tx, inserted.id, digest, proposal.passages, writing.embedding_model, writing.now
        )
        counts["embeddingsAdded"] += 1
    elif writing.embed_later:
        job = Job(kind="embed", memory_id=inserted.id, agent_id=source.agent_id)
        enqueue(tx, job, now=writing.now)
    return {"createdMemoryId": inserted.id}


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
        "createdMemoryId": None,
        "updatedMemoryId": None,
        "deletedMemoryId": None,
        "dedupedExistingId": None,
        "blockedReason": None,
        "reviewNeeded": False,
        "contradictionRisk": False,
        "skippedReason": None,
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
