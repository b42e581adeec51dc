"""Reading documents and their chunks."""

from signet.db import ReadTx
from signet.db.visibility import Where, owned, readable
from signet.domain.agents import registry as agents
from signet.domain.documents import sql
from signet.domain.documents.models import Status
from signet.errors import Invalid, NotFound
from signet.ids import DEFAULT_AGENT
from signet.wire.documents import Chunk, StoredDocument

DEFAULT_LIMIT = 50
MAX_LIMIT = 500


def get(tx: ReadTx, document_id: str, *, agent_id: str = DEFAULT_AGENT) -> StoredDocument:
    """Return the whole document, deleted or not; NotFound when there is none that this agent may read."""
    where = owned(agents.reader(tx, agent_id), "documents")
    asked = (document_id, *where.params)
    document = tx.record(StoredDocument, sql.READABLE.format(where=where.sql), asked)
    if document is None:
        raise NotFound("Document not found")
    return document


def find(tx: ReadTx, document_id: str) -> StoredDocument:
    """Return any document: for jobs, which act for the owner; NotFound when there is none."""
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
    """Return a page of the documents that this agent may read, newest first, and how many there are in all.

    The limit is kept within 1..500. Raises Invalid for an unknown status.
    """
    if status is not None and status not in set(Status):
        raise Invalid(f"status must be one of {', '.join(Status)}")
    where = owned(agents.reader(tx, agent_id), "documents")
    where &= Where("(? IS NULL OR status = ?)", (status, status))
    statement = (sql.NEWEST_WHOLE if with_content else sql.NEWEST).format(where=where.sql)
    asked = (*where.params, max(1, min(limit, MAX_LIMIT)), max(0, offset))
    total = int(tx.value(sql.COUNT.format(where=where.sql), where.params))
    return tx.records(StoredDocument, statement, asked), total


def chunks(tx: ReadTx, document_id: str, *, agent_id: str = DEFAULT_AGENT) -> list[Chunk]:
    """Return the active chunks in the document's order; NotFound when there is no such document."""
    get(tx, document_id, agent_id=agent_id)
    where = readable(agents.reader(tx, agent_id, any_scope=True))
    asked = (document_id, *where.params)
    return tx.records(Chunk, sql.CHUNKS.format(readable=where.sql), asked)
