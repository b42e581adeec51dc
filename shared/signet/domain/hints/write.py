"""One `prospective_index` job: ask a model for hints on a memory and store them."""

from signet import clock
from signet.config.pipeline import Hints
from signet.db import ReadTx, WriteTx
from signet.domain.hints import clean, prompt
from signet.domain.memory import hints, lookup
from signet.domain.memory.models import Memory
from signet.providers.ports import LanguageModel
from signet.queue.job_context import JobContext

#: Token limit for models that think aloud before the first line (PIP-30).
LEAST_TOKENS = 1_024


def run(job: JobContext, model: LanguageModel, settings: Hints) -> None:
    """Write the hints of the job's memory, read again from its table, and complete the job.

    Raises what the provider raises, LeaseLost, Cancelled.
    """
    memory_id = job.lease.memory_id or ""
    memory = job.db.read(lookup.find, memory_id)
    skipped = job.db.read(_skipped, memory)
    if skipped or memory is None:
        job.commit(lambda tx: {"skipped": skipped})
        return
    told_at = clock.parsed(memory.created_at) or clock.now()
    answer = model.generate(
        prompt.hints(memory.content, most=settings.max, told_at=told_at),
        timeout_seconds=settings.timeout_ms / 1000,
        max_tokens=max(settings.max_tokens, LEAST_TOKENS),
    )
    found = clean.hints(answer.text, memory=memory.content, most=settings.max)
    attempts = job.lease.max_attempts
    job.commit(lambda tx: _write(tx, memory, found, attempts))


def _skipped(tx: ReadTx, memory: Memory | None) -> str | None:
    if memory is None:
        return "memory_not_found"
    if memory.is_deleted:
        return "memory_deleted"
    return "has_hints" if hints.has_any(tx, memory.id) else None


def _write(tx: WriteTx, memory: Memory, found: tuple[str, ...], attempts: int) -> dict[str, object]:
    current, now = lookup.find(tx, memory.id), clock.now()
    skipped = _skipped(tx, current)
    if skipped:
        return {"skipped": skipped}
    if current and current.version != memory.version and current.content != memory.content:
        hints.want(tx, [memory.id], agent_id=memory.agent_id, now=now, attempts=attempts)
        return {"skipped": "memory_changed"}
    written = hints.add(tx, memory.id, found, agent_id=memory.agent_id, at=now)
    return {"hints": written}
