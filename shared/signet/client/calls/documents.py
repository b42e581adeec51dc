"""Documents: add, read and delete texts."""

from collections.abc import Mapping
from typing import Any

from signet.client.method import asks
from signet.wire import documents as wire


class DocumentCalls:
    """Documents: add, read and delete texts."""

    @asks(wire.ADD_DOCUMENT)
    def add_document(
        self,
        content: str | None = None,
        *,
        url: str | None = None,
        source_type: str = "text",
        title: str | None = None,
        content_type: str | None = None,
        connector_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        agent_id: str | None = None,
    ) -> wire.AddedDocument:
        """Add a text to be split into chunks; the answer for a known one has `deduplicated`.

        With `source_type` url or file, `url` is its location.
        """

    @asks(wire.DOCUMENTS)
    def documents(
        self,
        *,
        status: str | None = None,
        limit: int = 50,
        offset: int = 0,
        agent_id: str | None = None,
    ) -> wire.DocumentPage:
        """Return a page of documents, newest first."""

    @asks(wire.DOCUMENT)
    def document(self, document_id: str, *, agent_id: str | None = None) -> wire.Document:
        """Return one document; raises NotFound."""

    @asks(wire.CHUNKS, pick=lambda found: found["chunks"])
    def chunks(self, document_id: str, *, agent_id: str | None = None) -> list[wire.Chunk]:
        """Return the memories of a document's chunks, in order; raises NotFound."""

    @asks(wire.DELETE_DOCUMENT)
    def delete_document(
        self, document_id: str, *, reason: str, agent_id: str | None = None
    ) -> wire.DeletedDocument:
        """Delete a document and forget chunks that belong only to it; raises NotFound or Conflict."""
