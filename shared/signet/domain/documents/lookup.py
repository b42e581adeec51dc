"""Reading documents and their chunks."""

from signet.db import ReadTx
from signet.domain.documents import store
from signet.domain.documents.models import Chunk, Document, Page, Status
from signet.errors import Invalid, NotFound

DEFAULT_LIMIT = 50
MAX_LIMIT = 500


def get(tx: ReadTx, document_id: str) -> Document:
    """Return the whole document, deleted or not; NotFound when there is none."""
    document = store.by_id(tx, document_id)
    if document is None:
        raise NotFound("Document not found")
    return document


def newest(
    tx: ReadTx,
    *,
    status: str | None = None,
    limit: int = DEFAULT_LIMIT,
    offset: int = 0,
    with_content: bool = False,
) -> Page:
    """Return a page of documents; the limit is kept within 1..500. Raises Invalid for an unknown status."""
    if status is not None and status not in set(Status):
        raise Invalid(f"status must be one of {', '.join(Status)}")
    wanted = Status(status) if status is not None else None
    found = store.newest(
        tx,
        status=wanted,
        limit=max(1, min(limit, MAX_LIMIT)),
        offset=max(0, offset),
        with_content=with_content,
    )
    return Page(documents=tuple(found), total=store.count(tx, status=wanted))


def chunks(tx: ReadTx, document_id: str) -> list[Chunk]:
    """Return the active chunks in the document's order; NotFound when there is no such document."""
    get(tx, document_id)
    return store.chunks(tx, document_id)
