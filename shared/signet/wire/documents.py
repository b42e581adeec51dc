"""Handing over a document (spec/documents-connectors-embeddings.md §2)."""

from signet.wire.model import Body, spelled


class DocumentBody(Body):
    """One document to take in."""

    source_type: str | None = spelled("source_type", "sourceType")
    content: str | None = None
    url: str | None = None
    title: str | None = None
    content_type: str | None = spelled("content_type", "contentType")
    connector_id: str | None = spelled("connector_id", "connectorId")
    metadata: dict[str, object] | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
