"""Documents: look up, create, delete and erase."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import PurePath
from urllib.parse import urlsplit

from signet import clock, ids
from signet.config import Settings
from signet.config.sections import EmbeddingProvider
from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.db.visibility import Where, owned, readable
from signet.domain.agents import registry as agents
from signet.domain.auth import caller
from signet.domain.documents import sql
from signet.domain.memory.forget import forget, rewrite_later
from signet.domain.memory.models import Actor
from signet.domain.transcripts import withheld
from signet.domain.transcripts.withheld import Statement
from signet.errors import Frozen, Invalid, NotFound, TooLarge
from signet.ids import DEFAULT_AGENT
from signet.queue import NewJob, enqueue, transitions
from signet.queue.enqueue import NORMAL
from signet.queue.job_context import JobContext
from signet.text.masking import mask
from signet.wire.documents import DocumentChunk, StoredDocument


class DocumentSource(StrEnum):
    TEXT = "text"
    URL = "url"
    FILE = "file"


class DocumentStatus(StrEnum):
    """The status of a document; `done`, `failed` and `deleted` are final."""

    QUEUED = "queued"
    EXTRACTING = "extracting"
    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    INDEXING = "indexing"
    DONE = "done"
    FAILED = "failed"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRules:
    """The settings for documents; sizes in characters, the limit in bytes of UTF-8."""

    frozen: bool = False
    embed: bool = True
    chunk_chars: int = 2_000
    overlap_chars: int = 200
    max_bytes: int = 10_485_760
    #: Whether pages may come from this machine and its network.
    may_be_private: bool = False
    #: Whether secrets in texts are masked.
    masks: bool = True
    #: Attempts to read a document.
    attempts: int = 3

    @classmethod
    def from_settings(cls, settings: Settings) -> "DocumentRules":
        documents = settings.pipeline.documents
        return cls(
            frozen=settings.pipeline.mutations_frozen,
            embed=settings.embedding.provider is not EmbeddingProvider.NONE,
            chunk_chars=documents.chunk_size,
            overlap_chars=documents.chunk_overlap,
            max_bytes=documents.max_content_bytes,
            may_be_private=documents.allow_private_networks,
            masks=settings.memory.mask_secrets,
            attempts=settings.pipeline.worker.max_retries,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    source_type: str
    content: str | None = None
    url: str | None = None
    title: str | None = None
    content_type: str | None = None
    connector_id: str | None = None
    metadata: Mapping[str, object] | None = None
    agent_id: str = DEFAULT_AGENT
    #: Identifies a state of the file (see `connectors/sync.py`).
    source_stamp: str | None = None
    priority: int = NORMAL
    #: The kinds of secrets masked in the content.
    masked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The answer to a new document; a known one has no `job_id`."""

    id: str
    status: DocumentStatus
    job_id: str | None

    @property
    def deduplicated(self) -> bool:
        return self.job_id is None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedDocument:
    memories_removed: int


DEFAULT_LIMIT = 50
MAX_LIMIT = 500


def get(tx: ReadTx, document_id: str, *, agent_id: str = DEFAULT_AGENT) -> StoredDocument:
    """Return a document, deleted or not; raises NotFound if this agent may not read it."""
    where = owned(agents.reader(tx, agent_id), "documents")
    asked = (document_id, *where.params)
    document = tx.record(StoredDocument, sql.READABLE.format(where=where.sql), asked)
    if document is None:
        raise NotFound("Document not found")
    return document


def find(tx: ReadTx, document_id: str) -> StoredDocument:
    """Return any document, for jobs; raises NotFound."""
    document = tx.record(StoredDocument, sql.BY_ID, (document_id,))
    if document is None:
        raise NotFound("Document not found")
    return document


def newest(
    tx: ReadTx,
    *,
    agent_id: str = DEFAULT_AGENT,
    status: str | None = None,
    limit: int = DEFAULT_LIMIT,
    offset: int = 0,
    with_content: bool = False,
) -> tuple[list[StoredDocument], int]:
    """Return a page of readable documents, newest first, and their number.

    The limit is clamped to 1..500. Raises Invalid for an unknown status.
    """
    if status is not None and status not in set(DocumentStatus):
        raise Invalid(f"status must be one of {', '.join(DocumentStatus)}")
    where = owned(agents.reader(tx, agent_id), "documents")
    where &= Where("(? IS NULL OR status = ?)", (status, status))
    statement = (sql.NEWEST_WHOLE if with_content else sql.NEWEST).format(where=where.sql)
    asked = (*where.params, max(1, min(limit, MAX_LIMIT)), max(0, offset))
    total = int(tx.value(sql.COUNT.format(where=where.sql), where.params))
    return tx.records(StoredDocument, statement, asked), total


def chunks(tx: ReadTx, document_id: str, *, agent_id: str = DEFAULT_AGENT) -> list[DocumentChunk]:
    """Return the active chunks in order; raises NotFound."""
    get(tx, document_id, agent_id=agent_id)
    where = readable(agents.reader(tx, agent_id, any_scope=True))
    asked = (document_id, *where.params)
    return tx.records(DocumentChunk, sql.CHUNKS.format(readable=where.sql), asked)


def create(tx: WriteTx, new: NewDocument, *, rules: DocumentRules, now: datetime) -> Created:
    """Store a document and queue its reading, or return the known one with the same agent and address or text.

    Raises Frozen, Invalid, and TooLarge.
    """
    if rules.frozen:
        raise Frozen
    new = _checked(tx, new, rules)
    known = tx.tuples(sql.BY_URL, (new.url, new.agent_id)) if new.url else []
    if not known and new.source_type == DocumentSource.TEXT:
        known = tx.tuples(sql.BY_TEXT, (hash_of(new.content or ""), new.agent_id))
    for document_id, status in known:
        return Created(id=document_id, status=DocumentStatus(status), job_id=None)
    return add(tx, new, now=now, attempts=rules.attempts)


def without_secrets(new: NewDocument, rules: DocumentRules) -> NewDocument:
    """Mask the secrets of a document if the settings say so; a megabyte takes 0.1 s. Pure."""
    if not (rules.masks and new.content):
        return new
    masked = mask(new.content)
    return replace(new, content=masked.text, masked=masked.kinds)


def add(tx: WriteTx, new: NewDocument, *, now: datetime, attempts: int) -> Created:
    document_id = ids.new_id()
    digest = None if new.content is None else hash_of(new.content)
    at = clock.to_text(now)
    metadata = None if new.metadata is None else json.dumps(new.metadata, ensure_ascii=False)
    source = (new.url, new.source_type, new.content_type, digest, new.title, new.content)
    owner = (new.agent_id, new.source_stamp)
    tx.run(sql.INSERT, (document_id, *source, new.connector_id, metadata, at, at, *owner))
    job = NewJob(
        kind="document_ingest",
        document_id=document_id,
        agent_id=new.agent_id,
        priority=new.priority,
    )
    job_id = enqueue(tx, job, now=now, max_attempts=attempts)
    return Created(id=document_id, status=DocumentStatus.QUEUED, job_id=job_id)


def adopt(tx: WriteTx, connector_id: str, document_ids: Collection[str]) -> None:
    tx.run(sql.SET_CONNECTOR, (connector_id, as_list(document_ids)))


def hash_of(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def _checked(tx: WriteTx, new: NewDocument, rules: DocumentRules) -> NewDocument:
    """Return the document in stored form; raises Invalid and TooLarge."""
    match new.source_type:
        case DocumentSource.TEXT:
            new = replace(new, content=_text(new.content, rules))
        case DocumentSource.URL:
            new = replace(new, url=_page(new.url), content=None)
        case DocumentSource.FILE:
            # A client that sends the text of a file has already read it.
            content = _text(new.content, rules) if new.content else None
            new = replace(new, url=_path(new.url), content=content)
        case _:
            raise Invalid("source_type must be text, url, or file")
    if new.connector_id is not None and tx.value(sql.CONNECTOR, (new.connector_id,)) is None:
        raise Invalid("connector_id names no connector")
    return new


def _text(content: str | None, rules: DocumentRules) -> str:
    # JSON can contain half a surrogate pair, UTF-8 and SQLite cannot.
    text = (content or "").encode("utf-8", "replace").decode()
    if not text.strip():
        raise Invalid("content is required for text source_type")
    if len(text.encode()) > rules.max_bytes:
        raise TooLarge(f"content is longer than {rules.max_bytes} bytes")
    return text


def _page(url: str | None) -> str:
    """Return the address of a page; its target is checked when it is fetched (see net/fetch.py)."""
    found = (url or "").strip()
    if not found:
        raise Invalid("url is required for url source_type")
    try:
        parts = urlsplit(found)
        named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError as error:
        raise Invalid(f"url: {error}") from error
    if not named or any(letter.isspace() or not letter.isprintable() for letter in found):
        raise Invalid("url must be an http or https address")
    if parts.username is not None:
        raise Invalid("url must not hold a password: documents are shown with their address")
    return found


def _path(path: str | None) -> str:
    """Return the path of a file; access is checked when it is read (see source.py)."""
    found = (path or "").strip()
    if not found:
        raise Invalid("url is required for file source_type: the path of the file")
    if not PurePath(found).is_absolute() or "\0" in found:
        raise Invalid("url must be an absolute path for file source_type")
    return found


def delete(
    tx: WriteTx,
    document_id: str,
    *,
    reason: str,
    actor: Actor,
    rules: DocumentRules,
    now: datetime,
    agent_id: str = DEFAULT_AGENT,
) -> DeletedDocument:
    """Delete a document for a person.

    Deleting again changes nothing. Raises Frozen, NotFound, ScopeDenied for another owner's, and Invalid without a
    reason.
    """
    if not reason.strip():
        raise Invalid("reason query parameter is required")
    if rules.frozen:
        raise Frozen
    document = get(tx, document_id, agent_id=agent_id)
    caller.current().check_row(agent=document["agent_id"])
    return remove_text(tx, document_id, reason=reason, actor=actor, now=now)


def remove_text(
    tx: WriteTx, document_id: str, *, reason: str, actor: Actor, now: datetime
) -> DeletedDocument:
    """Mark a document deleted, cancel its jobs and forget chunks that belong only to it (DOC-1, DOC-2).

    A job later erases them from the document too.
    """
    if not tx.run(sql.MARK_DELETED, (reason, clock.to_text(now), document_id)):
        return DeletedDocument(memories_removed=0)
    for job_id in tx.column(sql.OPEN_JOBS, (document_id,)):
        transitions.cancel(tx, job_id, now=now)
    linked = tx.column(sql.LINKED, (document_id,))
    loose = tx.column(sql.LOOSE, (as_list(linked), document_id))
    tx.run(sql.UNLINK, (document_id, as_list(set(linked) - set(loose))))
    for memory_id in loose:
        forget(tx, memory_id, actor=actor, reason=f"Document deleted: {reason}", now=now)
    if withheld.erased_statements(tx):
        rewrite_later(tx, now=now, if_said=True)
    return DeletedDocument(memories_removed=len(loose))


def erase(job: JobContext, known: Mapping[str, Sequence[Statement]]) -> int:
    """Delete the texts of deleted documents with erased content; return their number."""
    return withheld.clean(job, withheld.TextTable(sql.DELETED_TEXTS, sql.DROP_TEXT), known)


def unlink_memories(tx: WriteTx, memory_ids: Sequence[str]) -> None:
    tx.run(sql.UNLINK_MEMORIES, (as_list(memory_ids),))
