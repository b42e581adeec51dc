"""Write the results of one extract job in the transaction that completes it.

These are facts with their history, replacements, the graph, and the jobs that follow: hints and structure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from signet.db import WriteTx
from signet.domain.extraction import apply, corrections
from signet.domain.extraction.apply import Proposal, Writing
from signet.domain.extraction.corrections import Correction
from signet.domain.extraction.models import Extraction, Mode
from signet.domain.graph import link, unclassified
from signet.domain.memory import history, lookup, marks
from signet.domain.memory.models import Event, ExtractionStatus, Memory
from signet.queue import NewJob, enqueue

#: How long undecided facts wait for their second and last attempt.
SECOND_LOOK_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The findings of one job before the write; `is_second_look`: only the previously undecided facts."""

    extraction: Extraction
    proposals: Sequence[Proposal]
    replaced: Sequence[Correction]
    is_second_look: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Followers:
    """The jobs that follow: the graph from triples, hints, and classification of new entity facts.

    Classification waits a little to handle the facts of one entity together; None: no such job.
    """

    graph: bool
    hints: bool
    structure_after_ms: int | None


def findings(
    tx: WriteTx, found: Findings, writing: Writing, followers: Followers
) -> dict[str, object]:
    current = lookup.find(tx, writing.source.id)
    if current is None or current.is_deleted:
        return {"skipped": "memory_deleted"}
    if current.version != writing.source.version:
        # The findings belong to an old text. Its editor could not queue a new reading while this job was open; this
        # transaction completes the job.
        _read_again(tx, current, writing)
        return {"skipped": "memory_changed"}
    extraction = found.extraction
    if extraction.failure:
        _record_failure(tx, extraction.failure, writing)
    counts, facts = apply.proposals(tx, found.proposals, writing)
    superseded: list[str] = []
    if writing.mode is Mode.CONTROLLED_WRITE:
        is_lost = extraction.failure and not extraction.facts
        status = ExtractionStatus.FAILED if is_lost else ExtractionStatus.COMPLETED
        marks.set_extraction(tx, current.id, status, writing.extraction_model)
        superseded = _supersede(tx, found.replaced, writing, facts)
        _follow(tx, found, writing, followers, facts)
    else:
        corrections.propose(tx, current, found.replaced, actor=apply.SHADOW, now=writing.now)
    return {
        "facts": len(extraction.facts),
        "entities": len(extraction.triples),
        "proposals": len(found.proposals),
        "writeMode": "phase-c" if writing.mode is Mode.CONTROLLED_WRITE else "shadow",
        "writeStats": dict(counts),
        "superseded": superseded,
        "warnings": list(extraction.warnings),
    }


def _record_failure(tx: WriteTx, failure: str, writing: Writing) -> None:
    """Record in the memory's history and status that it could not be read."""
    shadow = writing.mode is not Mode.CONTROLLED_WRITE
    history.record(
        tx,
        writing.source.id,
        Event.NONE,
        actor=apply.SHADOW if shadow else apply.PIPELINE,
        at=writing.now,
        reason=failure,
        metadata={
            "shadow": shadow,
            "errorCode": failure.partition(":")[0],
            "extractionModel": writing.extraction_model,
        },
    )


def _follow(
    tx: WriteTx,
    found: Findings,
    writing: Writing,
    followers: Followers,
    facts: Sequence[tuple[str, str]],
) -> None:
    source, now = writing.source, writing.now
    undecided = [asdict(one.fact) for one in found.proposals if one.decision is None]
    if undecided and not found.is_second_look:
        payload = {"version": source.version, "facts": undecided}
        _read_again(tx, source, writing, payload=payload, delay_ms=SECOND_LOOK_MS)
    triples = found.extraction.triples
    if followers.graph and triples:
        link_triples = partial(
            link.write_triples,
            tx,
            source.id,
            triples,
            facts=facts,
            agent_id=source.agent_id,
            now=now,
        )
        tx.optional("graph", link_triples, otherwise=0)
        if followers.structure_after_ms is not None:
            mark = partial(
                unclassified.add_pending,
                tx,
                facts,
                triples,
                agent_id=source.agent_id,
                delay_ms=followers.structure_after_ms,
                attempts=writing.attempts,
                now=now,
            )
            tx.optional("structure", mark, otherwise=0)
    if followers.hints:
        memory_ids = [memory_id for memory_id, _ in facts]
        wanted, attempts = [source.id, *memory_ids], writing.attempts
        marks.want_hints(tx, wanted, agent_id=source.agent_id, now=now, attempts=attempts)


def _supersede(
    tx: WriteTx, replaced: Sequence[Correction], writing: Writing, facts: Sequence[tuple[str, str]]
) -> list[str]:
    """Supersede older memories by these statements; return their IDs."""
    source, least = writing.source, writing.supersede_from
    if least is None:
        return []
    stands_for = {text: memory_id for memory_id, text in facts} | {source.content: source.id}
    return corrections.apply(tx, source, replaced, stands_for, least=least, now=writing.now)


def _read_again(
    tx: WriteTx,
    memory: Memory,
    writing: Writing,
    *,
    payload: Mapping[str, object] | None = None,
    delay_ms: int = 0,
) -> None:
    job = NewJob(
        kind="extract",
        memory_id=memory.id,
        agent_id=memory.agent_id,
        payload=payload,
        delay_ms=delay_ms,
    )
    enqueue(tx, job, now=writing.now, max_attempts=writing.attempts)
