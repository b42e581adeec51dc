"""Reading a document, top to bottom: cut it into chunks, save each as a memory, link them in order.

Every step is a short transaction that checks the job's lease and the document's state, and every step may be
repeated: a chunk that is there is linked, not inserted. So a crash, a second run or a deletion in between leaves
nothing twice and brings nothing back.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from signet import clock
from signet.db import WriteTx
from signet.domain.documents import chunk, lookup, store
from signet.domain.documents.models import Document, Rules, Status
from signet.domain.memory import remember
from signet.domain.memory.forget import forget
from signet.domain.memory.models import Actor, Draft, Visibility
from signet.errors import PermanentJobError, SignetError
from signet.ids import DEFAULT_AGENT
from signet.queue import BULK, Job, enqueue
from signet.queue.held import Cancelled, LeaseLost, Run

WORKER = Actor(name="document-worker", type="pipeline")

#: Chunks saved in one transaction, so that it stays in the bulk lane's few milliseconds (design/queue.md §4).
CHUNKS_PER_WRITE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be saved for one document."""

    document_id: str
    title: str | None
    chunks: tuple[str, ...]


def run(job: Run, rules: Rules) -> None:
    """Read the job's document and complete the job; one that is done or deleted needs no work.

    Raises PermanentJobError for a document without text, and what `Run` raises.
    """
    document_id = job.lease.document_id or ""
    try:
        result = _run(job, document_id, rules)
    except (LeaseLost, Cancelled):
        raise
    except SignetError as error:
        is_last = isinstance(error, PermanentJobError) or (
            job.lease.attempts >= job.lease.max_attempts
        )
        job.progress(
            partial(
                fail, document_id=document_id, error=error.message, is_last=is_last, now=clock.now()
            )
        )
        raise
    job.commit(result)


def _run(job: Run, document_id: str, rules: Rules) -> Callable[[WriteTx], dict[str, object]]:
    """Do all steps but the last, and return the last."""

    def moved(status: Status) -> bool:
        job.check()
        return job.progress(partial(advance, document_id=document_id, to=status, now=clock.now()))

    if not moved(Status.EXTRACTING):
        return lambda tx: {"skipped": "document_closed"}
    document = job.db.read(lookup.get, document_id)
    moved(Status.CHUNKING)
    plan = plan_of(document, rules)
    moved(Status.EMBEDDING)  # left to a job for each chunk: words are found before vectors are made
    moved(Status.INDEXING)
    kept: set[str] = set()
    for first in range(0, len(plan.chunks), CHUNKS_PER_WRITE):
        job.check()
        save = partial(store_chunks, plan=plan, first=first, rules=rules, now=clock.now())
        kept.update(job.progress(save))
    return partial(finish, plan=plan, kept=kept, now=clock.now())


def plan_of(document: Document, rules: Rules) -> Plan:
    """Return the chunks to be saved. Raises PermanentJobError when there is no text (PIP-54)."""
    chunks = chunk.windows(document.raw_content or "", rules.chunk_chars, rules.overlap_chars)
    if not chunks:
        raise PermanentJobError("Empty content")
    return Plan(document_id=document.id, title=document.title, chunks=tuple(chunks))


def advance(tx: WriteTx, *, document_id: str, to: Status, now: datetime) -> bool:
    """Show how far the reading is; False when the document is done, deleted or unknown."""
    return store.move(tx, document_id, to, error=None, at=now)


def fail(tx: WriteTx, *, document_id: str, error: str, is_last: bool, now: datetime) -> None:
    """Show what went wrong: queued while the job will be tried again, failed after the last time (DOC-7)."""
    store.move(tx, document_id, Status.FAILED if is_last else Status.QUEUED, error=error, at=now)


def store_chunks(tx: WriteTx, *, plan: Plan, first: int, rules: Rules, now: datetime) -> list[str]:
    """Save the next few chunks from `first` on and return the ids of their memories.

    A chunk whose text is an active memory already is linked to it (DOC-5). Nothing is saved, and nothing
    returned, when the document was deleted meanwhile.
    """
    if not advance(tx, document_id=plan.document_id, to=Status.INDEXING, now=now):
        return []
    kept = []
    part = plan.chunks[first : first + CHUNKS_PER_WRITE]
    for index, text in enumerate(part, start=first):
        saved = remember.insert(tx, _draft(plan, text, now), actor=WORKER, now=now)
        store.link(tx, plan.document_id, saved.id, index)
        if rules.embed and not saved.deduped:
            job = Job(kind="embed", memory_id=saved.id, agent_id=DEFAULT_AGENT, priority=BULK)
            enqueue(tx, job, now=now)
        kept.append(saved.id)
    return kept


def finish(tx: WriteTx, *, plan: Plan, kept: Collection[str], now: datetime) -> dict[str, object]:
    """Let go of chunks of an earlier reading, mark the document done, and return the job's result (DOC-8, DOC-10)."""
    if not advance(tx, document_id=plan.document_id, to=Status.INDEXING, now=now):
        return {"skipped": "document_closed"}
    stale = set(store.linked(tx, plan.document_id)) - set(kept)
    for memory_id in store.loose(tx, plan.document_id, stale):
        forget(tx, memory_id, actor=WORKER, reason="Document changed", now=now)
    store.unlink(tx, plan.document_id, stale)
    store.finish(tx, plan.document_id, chunk_count=len(plan.chunks), at=now)
    return {"chunks": len(plan.chunks), "memories": len(kept)}


def _draft(plan: Plan, text: str, now: datetime) -> Draft:
    return Draft(
        content=text,
        type="document_chunk",
        importance=0.3,
        agent_id=DEFAULT_AGENT,
        visibility=Visibility.GLOBAL,
        who=plan.document_id,
        why="document_ingest",
        source_type="document",
        source_id=plan.document_id,
        updated_by=WORKER.name,
        created_at=now,
        tags=(f"document:{plan.title}",) if plan.title else (),
    )
