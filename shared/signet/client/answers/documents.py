"""Answers about documents and their chunks."""

from typing import Any, NotRequired, TypedDict


class AddedDocument(TypedDict):
    """A document that was handed over; a known one is `deduplicated` and has no new job."""

    id: str
    status: str
    jobId: NotRequired[str]
    deduplicated: NotRequired[bool]


class Document(TypedDict):
    """One document and how far its reading is."""

    id: str
    source_type: str
    source_url: str | None
    content_type: str | None
    title: str | None
    raw_content: str | None
    status: str
    error: str | None
    chunk_count: int
    memory_count: int
    metadata: dict[str, Any] | None
    created_at: str
    updated_at: str
    completed_at: str | None


class DocumentPage(TypedDict):
    """A page of documents, newest first."""

    documents: list[Document]
    total: int
    limit: int
    offset: int


class Chunk(TypedDict):
    """One memory made from a document."""

    id: str
    content: str
    type: str
    created_at: str
    chunk_index: int


class DeletedDocument(TypedDict):
    """A deleted document and how many memories went with it."""

    success: bool
    deleted: bool
    memoriesRemoved: int
