"""One extract job, top to bottom: read the memory, distil it, decide, write.

The memory is read in one snapshot and everything slow (models, vectors) happens with no transaction open; then
one transaction checks that the lease is still ours, writes the effects and completes the job. A crash in between
loses nothing but work.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial

from signet import clock
from signet.config import Settings
from signet.db import Database, WriteTx
from signet.domain.embeddings import passages
from signet.domain.extraction import apply, candidates, corrections, parse
from signet.domain.extraction.apply import Mode, Proposal, Writing
from signet.domain.extraction.corrections import Correction
from signet.domain.extraction.distill import Distiller, says_the_same
from signet.domain.extraction.models import (
    MIN_FACT_CHARS,
    Action,
    Candidate,
    Decision,
    Extraction,
    Fact,
)
from signet.domain.graph import persist
from signet.domain.memory import normalize, store
from signet.domain.memory.models import ExtractionStatus, Memory
from signet.errors import ProviderDown, ProviderFailed
from signet.observe import logs
from signet.providers.ports import Embedder
from signet.queue import Job, enqueue
from signet.queue.held import Run

log = logs.get("pipeline")

#: How long facts that could not be decided wait for their second and last look.
SECOND_LOOK_MS = 30_000


def mode_of(settings: Settings) -> Mode:
    """Return how far the pipeline may go (pipeline.md §1)."""
    pipeline = settings.pipeline
    if not pipeline.enabled:
        return Mode.DISABLED
    if pipeline.mutations_frozen:
        return Mode.FROZEN
    return Mode.SHADOW if pipeline.shadow_mode else Mode.CONTROLLED_WRITE


def run(
    job: Run,
    distiller: Distiller,
    embedder: Embedder | None,
    settings: Callable[[], Settings],
) -> None:
    """Distil the job's memory and complete the job.

    `settings` is asked again before the write: a model may take minutes, a kill switch must not wait for it.
    Raises what the providers raise (the job then waits or is tried again), LeaseLost, Cancelled.
    """
    memory_id = job.lease.memory_id or ""
    source = job.db.read(store.by_id, memory_id)
    if source is None or source.is_deleted:
        reason = "memory_not_found" if source is None else "memory_deleted"
        job.commit(lambda tx: {"skipped": reason})
        return
    found = _distilled(job, distiller, source)
    job.check()
    proposed = _proposals(job, distiller, embedder, source, found.facts)
    job.check()
    in_force = settings()
    structural = in_force.pipeline.structural
    writing = Writing(
        source=source,
        mode=mode_of(in_force),
        min_confidence=in_force.pipeline.extraction.min_confidence,
        extraction_model=distiller.name,
        embedding_model=embedder.model if embedder else None,
        embed_later=embedder is not None,
        fact_count=len(found.facts),
        entity_count=len(found.triples),
        supersede_from=(
            structural.supersession_min_confidence if structural.supersession_enabled else None
        ),
        now=clock.now(),
    )
    replaced = _corrections(job.db, proposed, writing)
    graph = in_force.pipeline.graph.enabled
    look_again = not _is_second_look(job, source)
    job.commit(
        lambda tx: _write(
            tx, found, proposed, replaced, writing, graph=graph, look_again=look_again
        )
    )


def _corrections(db: Database, proposed: Sequence[Proposal], writing: Writing) -> list[Correction]:
    """Return which memories what is said here replaces, or is replaced by."""
    if writing.supersede_from is None:
        return []
    said = (writing.source.content, *(one.fact.content for one in proposed))
    return db.read(corrections.find, writing.source, said, least=writing.supersede_from)


def _distilled(job: Run, distiller: Distiller, source: Memory) -> Extraction:
    if _is_second_look(job, source):
        return parse.extraction(json.dumps(job.lease.payload))
    if len(source.content) < MIN_FACT_CHARS:
        return Extraction(warnings=("too short to hold a fact",))
    found = distiller.extract(
        source.content, lambda digest: job.db.read(candidates.holds, source, digest)
    )
    for warning in found.warnings:
        log.info("extraction.warning", memory_id=source.id, detail=warning)
    return found


def _is_second_look(job: Run, source: Memory) -> bool:
    """Return whether the job is only for facts of this very text that could not be decided at first."""
    return job.lease.payload.get("version") == source.version


def _proposals(
    job: Run,
    distiller: Distiller,
    embedder: Embedder | None,
    source: Memory,
    facts: Sequence[Fact],
) -> list[Proposal]:
    """Decide on each fact; a fact that cannot be decided does not stop the others (PIP-10)."""
    proposed: list[Proposal] = []
    seen: set[str] = set()
    for fact, chunks in zip(facts, _embedded(embedder, facts), strict=True):
        digest = normalize.content_hash(fact.content)
        if digest in seen:
            continue
        seen.add(digest)
        job.check()
        proposed.append(_proposal(job.db, distiller, source, fact, chunks))
    return proposed


def _proposal(
    db: Database,
    distiller: Distiller,
    source: Memory,
    fact: Fact,
    chunks: tuple[tuple[str, bytes], ...],
) -> Proposal:
    if says_the_same(fact.content, source.content):
        said = Decision(
            action=Action.NONE,
            target_id=None,
            confidence=fact.confidence,
            reason="its source says the same",
        )
        return Proposal(fact=fact, decision=said)
    vector = chunks[0][1] if chunks else None
    known: list[Candidate] = db.read(candidates.like, source, fact.content, vector)
    if not known:
        new = Decision(
            action=Action.ADD,
            target_id=None,
            confidence=fact.confidence,
            reason="no memory resembles it",
        )
        return Proposal(fact=fact, decision=new, passages=chunks)
    try:
        decided = distiller.decide(fact, known)
    except ProviderDown:
        raise  # the job waits, uncharged
    except ProviderFailed as error:
        decided = error.message
    if isinstance(decided, str):
        log.warning("decision.failed", memory_id=source.id, detail=decided)
        return Proposal(fact=fact, decision=None, problem=decided)
    target = next((one for one in known if one.id == decided.target_id), None)
    return Proposal(fact=fact, decision=decided, target=target, passages=chunks)


def _embedded(
    embedder: Embedder | None, facts: Sequence[Fact]
) -> list[tuple[tuple[str, bytes], ...]]:
    """Return the passages of each fact with their vectors; empty ones when there is no embedder now.

    A fact without vectors is written all the same and gets an embed job (PIP-11).
    """
    if embedder is None or not facts:
        return [()] * len(facts)
    pieces = [passages.split(fact.content) for fact in facts]
    try:
        vectors = iter(embedder.embed([piece for split in pieces for piece in split]))
    except (ProviderDown, ProviderFailed) as error:
        log.info("extraction.without_vectors", reason=error.message)
        return [()] * len(facts)
    return [tuple((piece, next(vectors)) for piece in split) for split in pieces]


def _write(
    tx: WriteTx,
    found: Extraction,
    proposed: Sequence[Proposal],
    replaced: Sequence[Correction],
    writing: Writing,
    *,
    graph: bool,
    look_again: bool,
) -> dict[str, object]:
    """Write everything the job found; return its result."""
    current = store.by_id(tx, writing.source.id)
    if current is None or current.is_deleted:
        return {"skipped": "memory_deleted"}
    if current.version != writing.source.version:
        # What was found is about a text that is not there any more. Whoever changed it could not queue its
        # reading, because this job was still open; it is completed in this transaction.
        _queue(tx, current, writing.now)
        return {"skipped": "memory_changed"}
    counts, facts = apply.proposals(tx, proposed, writing)
    superseded: list[str] = []
    if writing.mode is Mode.CONTROLLED_WRITE:
        store.set_extraction(
            tx, writing.source.id, ExtractionStatus.COMPLETED, writing.extraction_model
        )
        undecided = [asdict(one.fact) for one in proposed if one.decision is None]
        if look_again and undecided:
            payload = {"version": current.version, "facts": undecided}
            _queue(tx, current, writing.now, payload=payload, delay_ms=SECOND_LOOK_MS)
        superseded = _supersede(tx, replaced, writing, facts)
        if graph and found.triples:
            tx.optional("graph", partial(_link, tx, found, writing, facts), otherwise=0)
    else:
        corrections.propose(tx, writing.source, replaced, actor=apply.SHADOW, now=writing.now)
    return {
        "facts": len(found.facts),
        "entities": len(found.triples),
        "proposals": len(proposed),
        "writeMode": "phase-c" if writing.mode is Mode.CONTROLLED_WRITE else "shadow",
        "writeStats": dict(counts),
        "superseded": superseded,
        "warnings": list(found.warnings),
    }


def _supersede(
    tx: WriteTx,
    replaced: Sequence[Correction],
    writing: Writing,
    facts: Sequence[tuple[str, str]],
) -> list[str]:
    """Let what is said here replace what was said before; return the ids of what was."""
    source, least = writing.source, writing.supersede_from
    if least is None:
        return []
    stands_for = {text: memory_id for memory_id, text in facts} | {source.content: source.id}
    return corrections.apply(tx, source, replaced, stands_for, least=least, now=writing.now)


def _queue(
    tx: WriteTx,
    memory: Memory,
    now: datetime,
    *,
    payload: Mapping[str, object] | None = None,
    delay_ms: int = 0,
) -> None:
    job = Job(
        kind="extract",
        memory_id=memory.id,
        agent_id=memory.agent_id,
        payload=payload,
        delay_ms=delay_ms,
    )
    enqueue(tx, job, now=now)


def _link(
    tx: WriteTx, found: Extraction, writing: Writing, facts: Sequence[tuple[str, str]]
) -> int:
    """Write the triples, tied to the source and to the facts that name them (PIP-25, PIP-28)."""
    return persist.triples(
        tx,
        writing.source.id,
        found.triples,
        facts=facts,
        agent_id=writing.source.agent_id,
        now=writing.now,
    )
