"""Documents: hand over texts, look at them, delete them."""

from collections.abc import Mapping
from typing import Any

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire import documents as wire
from signet.wire.documents import (
    AddedDocument,
    Chunk,
    DeletedDocument,
    Document,
    DocumentPage,
)


class DocumentCalls:
    """Documents: hand over texts, look at them, delete them."""

    @method
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
    ) -> Call[AddedDocument]:
        """Hand over a text to be read in chunks; a known one is answered with `deduplicated`.

        With `source_type` url or file, `url` says where the text is.
        """
        body = {
            "source_type": source_type,
            "content": content,
            "url": url,
            "title": title,
            "content_type": content_type,
            "connector_id": connector_id,
            "metadata": metadata,
        }
        return ask(wire.ADD_DOCUMENT, body=body)

    @method
    def documents(
        self, *, status: str | None = None, limit: int = 50, offset: int = 0
    ) -> Call[DocumentPage]:
        """Return a page of documents, newest first."""
        return ask(wire.DOCUMENTS, status=status, limit=limit, offset=offset)

    @method
    def document(self, document_id: str) -> Call[Document]:
        """Return one document; raises NotFound."""
        return ask(wire.DOCUMENT, document_id)

    @method
    def chunks(self, document_id: str) -> Call[list[Chunk]]:
        """Return the memories made from a document, in its order; raises NotFound."""
        return ask(wire.CHUNKS, document_id).picking(lambda found: found["chunks"])

    @method
    def delete_document(self, document_id: str, *, reason: str) -> Call[DeletedDocument]:
        """Delete a document and forget what only it holds; raises NotFound or Conflict."""
        return ask(wire.DELETE_DOCUMENT, document_id, reason=reason)
