"""Run one extract job: read the memory, distil it, decide, write.

The memory is read in one snapshot, and models and vectors run without an open transaction. Then one transaction checks
the lease, writes the effects and completes the job. A crash before that loses only work, never data.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from signet import clock
from signet.config import Settings
from signet.domain.extraction import candidates, corrections, parse, propose, write
from signet.domain.extraction.apply import Writing
from signet.domain.extraction.distill import Distiller, grounded
from signet.domain.extraction.grounding import Grounds
from signet.domain.extraction.models import MIN_FACT_CHARS, Extraction, Fact, mode_of
from signet.domain.extraction.write import Findings, Followers
from signet.domain.memory import lookup
from signet.domain.memory.models import Memory
from signet.domain.transcripts import records, transcript
from signet.observe import logs, record
from signet.observe.record import TelemetryKind
from signet.observe.taxonomy import Code
from signet.providers.ports import Embedder
from signet.queue.job_context import JobContext
from signet.text.masking import mask
from signet.wire.origin import Review

log = logs.get("pipeline")


def run(
    job: JobContext,
    distiller: Distiller,
    embedder: Embedder | None,
    settings: Callable[[], Settings],
) -> None:
    """Distil the job's memory and complete the job.

    `settings` is called again before the write: a model may take minutes, and a kill switch must not wait for it.
    Raises the providers' errors (the job then waits or is retried), LeaseLost, Cancelled.
    """
    source = job.db.read(lookup.find, job.lease.memory_id or "")
    if source is None or source.is_deleted or source.review is Review.WAITING:
        waits = "memory_deleted" if source and source.is_deleted else "waits_for_review"
        reason = "memory_not_found" if source is None else waits
        job.commit(lambda tx: {"skipped": reason})
        return
    again = _is_second_look(job, source)
    found = _undecided(job, source) if again else _distilled(job, distiller, source)
    if settings().memory.mask_secrets:
        found = replace(found, facts=tuple(map(_without_secrets, found.facts)))
    job.check()
    started = time.monotonic()
    proposals = propose.all(
        job, distiller, embedder, source, found.facts, settings(), is_last=again
    )
    job.check()
    in_force = settings()
    writing = _writing(in_force, distiller, embedder, source, found)
    replaced = []
    if writing.supersede_from is not None:
        facts = [one.fact for one in proposals]
        statements = corrections.statements(source, facts, by_model=distiller.is_model)
        replaced = job.db.read(corrections.find, source, statements, least=writing.supersede_from)
    findings = Findings(
        extraction=found, proposals=proposals, replaced=replaced, is_second_look=again
    )
    followers = _followers(in_force, distiller)
    result = job.commit(lambda tx: write.findings(tx, findings, writing, followers), durable=False)
    _tell(result, time.monotonic() - started)


def _writing(
    settings: Settings,
    distiller: Distiller,
    embedder: Embedder | None,
    source: Memory,
    found: Extraction,
) -> Writing:
    pipeline, structural = settings.pipeline, settings.pipeline.structural
    least = structural.supersession_min_confidence
    return Writing(
        source=source,
        mode=mode_of(settings),
        min_confidence=pipeline.extraction.min_confidence,
        extraction_model=found.reader or distiller.name,
        embedding_model=embedder.model if embedder else None,
        embed_later=embedder is not None,
        fact_count=len(found.facts),
        entity_count=len(found.triples),
        may_change=pipeline.autonomous.allow_update_delete,
        supersede_from=least if structural.supersession_enabled else None,
        attempts=pipeline.worker.max_retries,
        now=clock.now(),
    )


def _followers(settings: Settings, distiller: Distiller) -> Followers:
    """Return the jobs that follow; hints and structure need a model, so the rules queue none."""
    pipeline, structural = settings.pipeline, settings.pipeline.structural
    looks_closer = distiller.is_model and structural.enabled
    return Followers(
        graph=pipeline.graph.enabled,
        hints=distiller.is_model and pipeline.hints.enabled,
        structure_after_ms=structural.poll_interval_ms if looks_closer else None,
    )


def _tell(result: Mapping[str, object], seconds: float) -> None:
    """Log the outcome of the proposals; nothing if the memory was deleted or changed meanwhile."""
    stats = result.get("writeStats")
    if not isinstance(stats, dict):
        return
    proposals = result.get("proposals")
    record.event(
        TelemetryKind.PIPELINE_DECISION,
        proposals=proposals if isinstance(proposals, int) else None,
        applied=sum(stats.get(name, 0) for name in ("added", "updated", "deleted")),
        skipped=sum(stats.get(name, 0) for name in ("skippedLowConfidence", "deduped")),
        blocked=stats.get("blockedDestructive", 0),
        durationMs=round(seconds * 1000, 1),
    )


def _is_second_look(job: JobContext, source: Memory) -> bool:
    """Return whether the job only retries undecided facts of this very text."""
    return job.lease.payload.get("version") == source.version


def _without_secrets(fact: Fact) -> Fact:
    return replace(fact, content=mask(fact.content).text)


def _undecided(job: JobContext, source: Memory) -> Extraction:
    facts = parse.extraction(json.dumps(job.lease.payload))
    return grounded(facts, Grounds(source.content))


def _distilled(job: JobContext, distiller: Distiller, source: Memory) -> Extraction:
    """Distil a memory with statements of people; skip text that programs wrote (it would confirm itself)."""
    said = transcript.normalize(source.content) or records.without_injected(source.content)
    if len(said.strip()) < MIN_FACT_CHARS:
        return Extraction(warnings=("too short to hold a fact",))
    started = time.monotonic()
    found = distiller.extract(said, lambda digest: job.db.read(candidates.holds, source, digest))
    record.event(
        TelemetryKind.PIPELINE_EXTRACTION,
        factCount=len(found.facts),
        entityCount=len(found.triples),
        warningCount=len(found.warnings),
        durationMs=round((time.monotonic() - started) * 1000, 1),
        model=distiller.name,
    )
    for warning in found.warnings:
        log.info("extraction.warning", memory_id=source.id, detail=warning)
    if found.failure:
        log.warning("extraction.unreadable", memory_id=source.id, detail=found.failure)
        record.error(Code.EXTRACTION_PARSE_FAIL, found.failure, memory_id=source.id)
    return found
