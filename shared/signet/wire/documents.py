"""Documents and their chunks."""

from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import delete, get, post


class AddedDocument(TypedDict):
    """An added document; a known one is `deduplicated` and has no new job."""

    id: str
    status: str
    jobId: NotRequired[str]
    deduplicated: NotRequired[bool]
    #: Kinds of masked secrets.
    masked: NotRequired[list[str]]


class StoredDocument(TypedDict):
    """A stored document; `raw_content` is null in lists."""

    id: str
    source_url: str | None
    source_type: str
    content_type: str | None
    content_hash: str | None
    title: str | None
    raw_content: str | None
    status: str
    error: str | None
    connector_id: str | None
    chunk_count: int
    memory_count: int
    metadata_json: str | None
    created_at: str
    updated_at: str
    completed_at: str | None
    agent_id: str
    source_stamp: str | None


class Document(StoredDocument):
    metadata: dict[str, Any] | None


class DocumentPage(TypedDict):
    documents: list[Document]
    total: int
    limit: int
    offset: int


class DocumentChunk(TypedDict):
    id: str
    content: str
    type: str
    created_at: str
    chunk_index: int | None


class ForgottenDocument(TypedDict):
    success: bool
    deleted: bool
    memoriesRemoved: int


class Chunks(TypedDict):
    chunks: list[DocumentChunk]
    count: int


#: A known document returns 200.
ADD_DOCUMENT = post("/api/documents", access.DOCUMENTS, AddedDocument, status=201, also=(200,))
DOCUMENTS = get("/api/documents", access.DOCUMENTS, DocumentPage)
DOCUMENT = get("/api/documents/{document_id}", access.DOCUMENTS, Document)
CHUNKS = get("/api/documents/{document_id}/chunks", access.DOCUMENTS, Chunks)
DELETE_DOCUMENT = delete("/api/documents/{document_id}", access.DOCUMENTS, ForgottenDocument)
