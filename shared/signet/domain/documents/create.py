"""Taking a document in: it is stored and queued; the worker reads it."""

import hashlib
from dataclasses import replace
from datetime import datetime

from signet import ids
from signet.db import WriteTx
from signet.domain.documents import store
from signet.domain.documents.models import Created, NewDocument, Rules, SourceType, Status
from signet.errors import Frozen, Invalid, TooLarge
from signet.queue import Job, enqueue


def create(tx: WriteTx, new: NewDocument, *, rules: Rules, now: datetime) -> Created:
    """Store a document and queue its reading, or answer with the one of the same address or text.

    Raises Frozen, Invalid, and TooLarge for more bytes than the settings allow.
    """
    if rules.frozen:
        raise Frozen
    text = _text(tx, new, rules)
    digest = hashlib.sha256(text.encode()).hexdigest()
    known = store.by_url(tx, new.url) if new.url else None
    known = known or store.by_text(tx, digest)
    if known:
        return Created(id=known.id, status=Status(known.status), job_id=None)
    document_id = ids.new_id()
    store.insert(tx, document_id, replace(new, content=text), content_hash=digest, at=now)
    job = Job(kind="document_ingest", document_id=document_id)
    job_id = enqueue(tx, job, now=now, max_attempts=rules.attempts)
    return Created(id=document_id, status=Status.QUEUED, job_id=job_id)


def _text(tx: WriteTx, new: NewDocument, rules: Rules) -> str:
    """Return the content as it can be stored; raises what is wrong with the request."""
    if new.source_type not in set(SourceType):
        raise Invalid("source_type must be text, url, or file")
    if new.source_type != SourceType.TEXT:
        raise Invalid(
            f"{new.source_type} documents cannot be fetched by this version; "
            "send the text as content with source_type text"
        )
    # JSON can carry half a surrogate pair, UTF-8 and SQLite cannot.
    content = (new.content or "").encode("utf-8", "replace").decode()
    if not content.strip():
        raise Invalid("content is required for text source_type")
    if len(content.encode()) > rules.max_bytes:
        raise TooLarge(f"content is longer than {rules.max_bytes} bytes")
    if new.connector_id is not None and not store.connector_exists(tx, new.connector_id):
        raise Invalid("connector_id names no connector")
    return content
