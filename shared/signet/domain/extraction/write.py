"""Everything that one extract job leaves behind, written in the transaction that completes it.

Facts with their history, what they replace, the graph, and the jobs that follow: hints and structure.
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

#: How long facts that could not be decided wait for their second and last look.
SECOND_LOOK_MS = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What one job has found, before anything is written; `is_second_look`: only what was undecided at first."""

    extraction: Extraction
    proposals: Sequence[Proposal]
    replaced: Sequence[Correction]
    is_second_look: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Followers:
    """Which further work follows: the graph from triples, hints, and a closer look at what is told of entities.

    The latter waits a little, so that what is told of one entity is looked at together; None: there is none.
    """

    graph: bool
    hints: bool
    structure_after_ms: int | None


def findings(
    tx: WriteTx, found: Findings, writing: Writing, followers: Followers
) -> dict[str, object]:
    """Write everything the job found; return its result."""
    current = lookup.find(tx, writing.source.id)
    if current is None or current.is_deleted:
        return {"skipped": "memory_deleted"}
    if current.version != writing.source.version:
        # What was found is about a text that is not there any more. Whoever changed it could not queue its
        # reading, because this job was still open; it is completed in this transaction.
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
    """Say in the memory's history that it could not be read; its status says so as well."""
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
    """Let what is said here replace what was said before; return the ids of what was."""
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
