"""Reading documents and their chunks."""

from signet.db import ReadTx
from signet.domain.agents import registry as agents
from signet.domain.documents import sql
from signet.domain.documents.models import Chunk, Document, Page, Status
from signet.errors import Invalid, NotFound
from signet.ids import DEFAULT_AGENT

DEFAULT_LIMIT = 50
MAX_LIMIT = 500


def get(tx: ReadTx, document_id: str, *, agent_id: str = DEFAULT_AGENT) -> Document:
    """Return the whole document, deleted or not; NotFound when there is none that this agent may read."""
    document = sql.readable(tx, document_id, agents.reader(tx, agent_id))
    if document is None:
        raise NotFound("Document not found")
    return document


def find(tx: ReadTx, document_id: str) -> Document:
    """Return any document: for jobs, which act for the owner; NotFound when there is none."""
    document = sql.by_id(tx, document_id)
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
) -> Page:
    """Return a page of the documents that this agent may read; the limit is kept within 1..500.

    Raises Invalid for an unknown status.
    """
    if status is not None and status not in set(Status):
        raise Invalid(f"status must be one of {', '.join(Status)}")
    wanted = Status(status) if status is not None else None
    reader = agents.reader(tx, agent_id)
    found = sql.newest(
        tx,
        reader,
        status=wanted,
        limit=max(1, min(limit, MAX_LIMIT)),
        offset=max(0, offset),
        with_content=with_content,
    )
    return Page(documents=tuple(found), total=sql.count(tx, reader, status=wanted))


def chunks(tx: ReadTx, document_id: str, *, agent_id: str = DEFAULT_AGENT) -> list[Chunk]:
    """Return the active chunks in the document's order; NotFound when there is no such document."""
    get(tx, document_id, agent_id=agent_id)
    return sql.chunks(tx, document_id, agents.reader(tx, agent_id, any_scope=True))
