"""Read a document: get its text, cut it into chunks, save each as a memory, link them in order.

The text of a page or file is stored before it is cut; a later run uses the stored text. Every step is a short
transaction that checks the job's lease and the document's state, and may be repeated: an existing chunk is linked, not
inserted. So a crash, a second run or a deletion in between neither duplicates nor restores anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import PurePath

from signet import clock
from signet.db import WriteTx
from signet.db.dialect import as_list
from signet.domain.documents import readers, records, source, sql
from signet.domain.documents.readers.files import DocumentText, Raw
from signet.domain.documents.records import DocumentRules, DocumentSource, DocumentStatus
from signet.domain.memory import forgotten, remember
from signet.domain.memory.forget import forget
from signet.domain.memory.lookup import ValueForgotten
from signet.domain.memory.models import Actor, Draft, Visibility
from signet.domain.memory.origin import decided
from signet.errors import Frozen, PermanentJobError, SignetError
from signet.paths import Workspace
from signet.queue import BULK, NewJob, enqueue
from signet.queue.job_context import JobContext
from signet.queue.retry import Cancelled, LeaseLost
from signet.text.masking import mask
from signet.wire.documents import StoredDocument
from signet.wire.origin import Origin

WORKER = Actor(name="document-worker", type="pipeline")

#: Chunks saved in one transaction, so that it stays in the bulk lane's few milliseconds.
CHUNKS_PER_WRITE = 10


class EmptyContent(PermanentJobError, code="empty_content"):
    """Empty content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestPlan:
    """The chunks to save for one version of a document."""

    document: StoredDocument
    chunks: tuple[str, ...]


def run(job: JobContext, rules: DocumentRules, workspace: Workspace) -> None:
    """Read the job's document and complete the job; a done or deleted one needs no work.

    Files are read below `workspace` and the folders of connectors. Raises PermanentJobError for an unreadable document,
    Frozen, other errors that may be temporary, and what the job raises.
    """
    if rules.frozen:
        raise Frozen
    document = job.db.read(records.find, job.lease.document_id or "")
    try:
        result = _run(job, document, rules, workspace)
    except (LeaseLost, Cancelled):
        raise
    except SignetError as error:
        is_last = isinstance(error, PermanentJobError) or (
            job.lease.attempts >= job.lease.max_attempts
        )
        job.progress(
            partial(fail, document=document, error=error, is_last=is_last, now=clock.now())
        )
        raise
    job.commit(result)


def _run(
    job: JobContext, document: StoredDocument, rules: DocumentRules, workspace: Workspace
) -> Callable[[WriteTx], dict[str, object]]:
    """Run all steps except the last, and return the last as a function."""

    def moved(status: DocumentStatus) -> bool:
        job.check()
        return job.progress(
            partial(advance, document_id=document["id"], to=status, now=clock.now())
        )

    if not moved(DocumentStatus.EXTRACTING):
        return lambda tx: {"skipped": "document_closed"}
    if document["raw_content"] is None and document["source_type"] != DocumentSource.TEXT:
        document = _fetched(job, document, rules, workspace)
        job.check()
        if job.progress(partial(keep, document=document, now=clock.now())):
            return partial(confirm, document=document, rules=rules, now=clock.now())
    else:
        document = _told(document, rules)
        moved(DocumentStatus.CHUNKING)
    plan = plan_of(document, rules)
    moved(
        DocumentStatus.EMBEDDING
    )  # embedded by a job for each chunk: words find chunks before they have vectors
    kept: list[str | None] = []
    for first in range(0, len(plan.chunks), CHUNKS_PER_WRITE):
        job.check()
        save = partial(store_chunks, plan=plan, first=first, rules=rules, now=clock.now())
        kept += job.progress(save)
    return partial(finish, plan=plan, kept=kept, rules=rules, now=clock.now())


def _fetched(
    job: JobContext, document: StoredDocument, rules: DocumentRules, workspace: Workspace
) -> StoredDocument:
    """Return the document with the text of its page or file."""
    connected = [*filter(None, job.db.read(lambda tx: tx.column(sql.ROOTS)))]
    read = readers.read(source.raw(document, rules, workspace, connected))
    is_file = document["source_type"] == DocumentSource.FILE
    title = read.title or (PurePath(document["source_url"] or "").name if is_file else None)
    return _with(document, replace(read, title=title), rules)


def _told(document: StoredDocument, rules: DocumentRules) -> StoredDocument:
    """Return a document sent with its content; only a named format is parsed."""
    form = readers.form_of(document["content_type"] or "")
    if form is None or document["source_type"] != DocumentSource.TEXT:
        return document
    data = (document["raw_content"] or "").encode()
    read = readers.read(Raw(data=data, content_type=f"{form}; charset=utf-8"))
    return _with(document, read, rules)


def _with(document: StoredDocument, read: DocumentText, rules: DocumentRules) -> StoredDocument:
    text = read.text.replace("\0", " ")
    return {
        **document,
        "raw_content": mask(text).text if rules.masks else text,
        "content_type": read.content_type,
        "title": document["title"] or read.title,
    }


def plan_of(document: StoredDocument, rules: DocumentRules) -> IngestPlan:
    """Return the chunks to save; raises EmptyContent (PIP-54)."""
    has_headings = document["content_type"] in readers.WITH_HEADINGS
    cut = source.sections if has_headings else source.windows
    chunks = cut(document["raw_content"] or "", rules.chunk_chars, rules.overlap_chars)
    if not chunks:
        raise EmptyContent
    return IngestPlan(document=document, chunks=tuple(chunks))


def advance(tx: WriteTx, *, document_id: str, to: DocumentStatus, now: datetime) -> bool:
    """Store the status of reading; False if the document is done, deleted or unknown."""
    return tx.run(sql.ADVANCE, (to, None, clock.to_text(now), document_id)) == 1


def fail(
    tx: WriteTx, *, document: StoredDocument, error: SignetError, is_last: bool, now: datetime
) -> None:
    """Store an error: queued while the job will be retried, failed after the last attempt (DOC-7).

    Earlier chunks stay, unless the document is empty.
    """
    # A file name may contain half a surrogate pair.
    text = error.message.encode("utf-8", "replace").decode()
    if isinstance(error, EmptyContent):
        _let_go(tx, document["id"], set(), now)
    if is_last:
        stamp = document["source_stamp"]
        values = {"id": document["id"], "error": text, "stamp": stamp, "now": clock.to_text(now)}
        tx.run(sql.FAIL, values)
    else:
        tx.run(sql.ADVANCE, (DocumentStatus.QUEUED, text, clock.to_text(now), document["id"]))


def keep(tx: WriteTx, *, document: StoredDocument, now: datetime) -> bool:
    """Store the text of a page or file; True if it is unchanged."""
    text = document["raw_content"] or ""
    values = {
        "id": document["id"],
        "text": text,
        "type": document["content_type"] or "text/plain",
        "title": document["title"],
        "hash": records.hash_of(text),
        "now": clock.to_text(now),
    }
    return bool(tx.value(sql.KEEP, values))


def confirm(
    tx: WriteTx, *, document: StoredDocument, rules: DocumentRules, now: datetime
) -> dict[str, object]:
    if _is_outdated(tx, document, rules, now):
        return {"skipped": "source_changed"}
    if not advance(tx, document_id=document["id"], to=DocumentStatus.INDEXING, now=now):
        return {"skipped": "document_closed"}
    tx.run(sql.SAME, (clock.to_text(now), document["id"]))
    return {"unchanged": True}


def read_again(
    tx: WriteTx,
    document_id: str,
    *,
    agent_id: str,
    stamp: str | None,
    forced: bool = False,
    attempts: int,
    now: datetime,
) -> None:
    """Queue a document whose source has changed (or, with `forced`, may have); a running read is repeated.

    Does nothing for a deleted one.
    """
    again = {"id": document_id, "stamp": stamp, "forced": forced, "now": clock.to_text(now)}
    if tx.run(sql.REQUEUE, again):
        job = NewJob(
            kind="document_ingest", document_id=document_id, agent_id=agent_id, priority=BULK
        )
        enqueue(tx, job, now=now, max_attempts=attempts)


def _is_outdated(
    tx: WriteTx, document: StoredDocument, rules: DocumentRules, now: datetime
) -> bool:
    """Queue the document again if its file has changed since it was read."""
    stamp = tx.value(sql.STAMP, (document["id"],))
    if stamp == document["source_stamp"]:
        return False
    read_again(
        tx,
        document["id"],
        agent_id=document["agent_id"],
        stamp=stamp,
        attempts=rules.attempts,
        now=now,
    )
    return True


def store_chunks(
    tx: WriteTx, *, plan: IngestPlan, first: int, rules: DocumentRules, now: datetime
) -> list[str | None]:
    """Save some chunks from `first` on and return the IDs of their memories, None for a forgotten one.

    An existing active memory with the same text is linked (DOC-5). Saves and returns nothing if the document was
    deleted.
    """
    if not advance(tx, document_id=plan.document["id"], to=DocumentStatus.INDEXING, now=now):
        return []
    kept: list[str | None] = []
    part = plan.chunks[first : first + CHUNKS_PER_WRITE]
    for index, text in enumerate(part, start=first):
        try:
            saved = remember.insert(tx, _draft(plan, text, now), actor=WORKER, now=now)
        except ValueForgotten:
            kept.append(None)
            continue
        tx.run(sql.LINK, (plan.document["id"], saved.id, index))
        if rules.embed and not saved.deduped:
            job = NewJob(
                kind="embed", memory_id=saved.id, agent_id=plan.document["agent_id"], priority=BULK
            )
            enqueue(tx, job, now=now, max_attempts=rules.attempts)
        kept.append(saved.id)
    return kept


def finish(
    tx: WriteTx,
    *,
    plan: IngestPlan,
    kept: Sequence[str | None],
    rules: DocumentRules,
    now: datetime,
) -> dict[str, object]:
    """Remove chunks of an earlier reading, mark the document done, and return the job's result (DOC-8, DOC-10)."""
    if _is_outdated(tx, plan.document, rules, now):
        return {"skipped": "source_changed"}
    if not advance(tx, document_id=plan.document["id"], to=DocumentStatus.INDEXING, now=now):
        return {"skipped": "document_closed"}
    saved = {memory_id for memory_id in kept if memory_id}
    _let_go(tx, plan.document["id"], saved, now)
    at = clock.to_text(now)
    tx.run(sql.FINISH, {"id": plan.document["id"], "chunks": len(plan.chunks), "now": at})
    counts = {"chunks": len(plan.chunks), "memories": len(saved)}
    return {**counts, "forgotten": kept.count(None)}


def _let_go(tx: WriteTx, document_id: str, kept: set[str], now: datetime) -> None:
    """Unlink chunks of an earlier reading, and forget those that nothing else needs.

    A forgotten one stays linked, so that it can be recovered with its document.
    """
    stale = set(tx.column(sql.LINKED, (document_id,))) - kept
    stale -= forgotten.named(tx, stale)
    for memory_id in tx.column(sql.LOOSE, (as_list(stale), document_id)):
        forget(tx, memory_id, actor=WORKER, reason="Document changed", now=now)
    tx.run(sql.UNLINK, (document_id, as_list(stale)))


def _changed_at(stamp: str | None) -> datetime | None:
    nanoseconds = (stamp or "").partition("-")[0]
    return clock.ms_to_instant(int(nanoseconds) // 1_000_000) if nanoseconds.isdecimal() else None


def _draft(plan: IngestPlan, text: str, now: datetime) -> Draft:
    return Draft(
        content=text,
        type="document_chunk",
        importance=0.3,
        agent_id=plan.document["agent_id"],
        visibility=Visibility.usual(plan.document["agent_id"]),
        origin=decided(
            None, plan.document["source_type"], by=Origin.IMPORTED, may_claim=Origin.IMPORTED
        ),
        who=plan.document["id"],
        why="document_ingest",
        source_type="document",
        source_id=plan.document["id"],
        updated_by=WORKER.name,
        created_at=min(_changed_at(plan.document["source_stamp"]) or now, now),
        tags=(f"document:{plan.document['title']}",) if plan.document["title"] else (),
    )
