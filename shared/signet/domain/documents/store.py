"""The only SQL of documents and of their links to memories."""

import json
from collections.abc import Collection
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.domain.documents.models import Chunk, Document, NewDocument, Status

_FIELDS = (
    "id, source_url, source_type, content_type, content_hash, title, {content} AS raw_content, status, error,"
    " connector_id, chunk_count, memory_count, metadata_json, created_at, updated_at, completed_at"
)
_WHOLE = f"SELECT {_FIELDS.format(content='raw_content')} FROM documents"
_BRIEF = f"SELECT {_FIELDS.format(content='NULL')} FROM documents"
_LIVE = "status NOT IN ('failed', 'deleted')"
_PAGE = " WHERE (?1 IS NULL OR status = ?1) ORDER BY created_at DESC, rowid DESC LIMIT ?2 OFFSET ?3"
_INSERT = (
    "INSERT INTO documents (id, source_url, source_type, content_type, content_hash, title, raw_content, status,"
    " connector_id, metadata_json, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?)"
)
_CHUNKS = (
    "SELECT m.id, m.content, m.type, m.created_at, d.chunk_index FROM document_memories d"
    " JOIN memories m ON m.id = d.memory_id WHERE d.document_id = ? AND m.is_deleted = 0"
    " ORDER BY d.chunk_index, m.seq"
)
# A document that is done or deleted never moves again: a late run cannot bring it back (DOC-2, DOC-10).
_ADVANCE = """
UPDATE documents SET status = ?, error = ?, updated_at = ? WHERE id = ? AND status NOT IN ('done', 'deleted')
"""
_FINISH = """
UPDATE documents SET status = 'done', error = NULL, chunk_count = ?, updated_at = ?, completed_at = ?,
       memory_count = (SELECT count(*) FROM document_memories WHERE document_id = documents.id)
 WHERE id = ? AND status NOT IN ('done', 'deleted')
"""
_LINK = (
    "INSERT INTO document_memories (document_id, memory_id, chunk_index) VALUES (?, ?, ?)"
    " ON CONFLICT (document_id, memory_id) DO UPDATE SET chunk_index = min(chunk_index, excluded.chunk_index)"
)
_LINKED = "SELECT memory_id FROM document_memories WHERE document_id = ?"
_UNLINK = "DELETE FROM document_memories WHERE document_id = ? AND memory_id IN (SELECT value FROM json_each(?))"
#: Of some memories those that came from document ingest and that no other live document holds (DOC-1).
_LOOSE = """
SELECT m.id FROM memories m
 WHERE m.id IN (SELECT value FROM json_each(?)) AND m.is_deleted = 0
   AND m.source_type = 'document' AND m.type = 'document_chunk'
   AND NOT EXISTS (SELECT 1 FROM document_memories d JOIN documents o ON o.id = d.document_id
                    WHERE d.memory_id = m.id AND d.document_id <> ? AND o.status <> 'deleted')
"""
_OPEN_JOBS = "SELECT id FROM memory_jobs WHERE document_id = ? AND status IN ('pending', 'leased')"


def insert(
    tx: WriteTx, document_id: str, new: NewDocument, *, content_hash: str, at: datetime
) -> None:
    """Insert a queued document."""
    text = clock.to_text(at)
    metadata = None if new.metadata is None else json.dumps(new.metadata, ensure_ascii=False)
    source = (new.url, new.source_type, new.content_type, content_hash, new.title, new.content)
    tx.run(_INSERT, (document_id, *source, new.connector_id, metadata, text, text))


def by_id(tx: ReadTx, document_id: str) -> Document | None:
    """Return the whole document."""
    row = tx.one(f"{_WHOLE} WHERE id = ?", (document_id,))
    return _document(row) if row else None


def by_url(tx: ReadTx, url: str) -> Document | None:
    """Return the document of this address that is neither failed nor deleted, without its content."""
    row = tx.one(f"{_BRIEF} WHERE source_url = ? AND {_LIVE}", (url,))
    return _document(row) if row else None


def by_text(tx: ReadTx, content_hash: str) -> Document | None:
    """Return the text document of this content that is neither failed nor deleted, without its content."""
    row = tx.one(
        f"{_BRIEF} WHERE content_hash = ? AND source_type = 'text' AND {_LIVE}", (content_hash,)
    )
    return _document(row) if row else None


def newest(
    tx: ReadTx, *, status: Status | None, limit: int, offset: int, with_content: bool
) -> list[Document]:
    """Return documents, newest first."""
    sql = (_WHOLE if with_content else _BRIEF) + _PAGE
    return [_document(row) for row in tx.all(sql, (status, limit, offset))]


def count(tx: ReadTx, *, status: Status | None) -> int:
    """Return how many documents there are."""
    return int(
        tx.value("SELECT count(*) FROM documents WHERE ?1 IS NULL OR status = ?1", (status,))
    )


def chunks(tx: ReadTx, document_id: str) -> list[Chunk]:
    """Return the active chunks of a document in its order."""
    return [
        Chunk(
            id=row["id"],
            content=row["content"],
            type=row["type"],
            created_at=row["created_at"],
            chunk_index=row["chunk_index"],
        )
        for row in tx.all(_CHUNKS, (document_id,))
    ]


def connector_exists(tx: ReadTx, connector_id: str) -> bool:
    """Return whether there is such a connector."""
    return tx.one("SELECT 1 FROM connectors WHERE id = ?", (connector_id,)) is not None


def move(tx: WriteTx, document_id: str, status: Status, *, error: str | None, at: datetime) -> bool:
    """Set the status; False when the document is done or deleted."""
    return tx.run(_ADVANCE, (status.value, error, clock.to_text(at), document_id)) == 1


def finish(tx: WriteTx, document_id: str, *, chunk_count: int, at: datetime) -> bool:
    """Set the document to done and count its memories; False when it is done or deleted."""
    text = clock.to_text(at)
    return tx.run(_FINISH, (chunk_count, text, text, document_id)) == 1


def mark_deleted(tx: WriteTx, document_id: str, *, reason: str, at: datetime) -> bool:
    """Set the document to deleted; False when it is already."""
    sql = (
        "UPDATE documents SET status = 'deleted', error = ?, updated_at = ?"
        " WHERE id = ? AND status <> 'deleted'"
    )
    return tx.run(sql, (reason, clock.to_text(at), document_id)) == 1


def link(tx: WriteTx, document_id: str, memory_id: str, index: int) -> None:
    """Tie a memory to its place in a document; a text that stands there twice keeps its first place."""
    tx.run(_LINK, (document_id, memory_id, index))


def linked(tx: ReadTx, document_id: str) -> list[str]:
    """Return the ids of the memories of a document."""
    return [row[0] for row in tx.all(_LINKED, (document_id,))]


def loose(tx: ReadTx, document_id: str, memory_ids: Collection[str]) -> list[str]:
    """Return which of these active memories nobody needs but this document."""
    return [row[0] for row in tx.all(_LOOSE, (json.dumps(list(memory_ids)), document_id))]


def unlink(tx: WriteTx, document_id: str, memory_ids: Collection[str]) -> None:
    """Untie memories from a document."""
    tx.run(_UNLINK, (document_id, json.dumps(list(memory_ids))))


def open_jobs(tx: ReadTx, document_id: str) -> list[str]:
    """Return the ids of the document's jobs that wait or run."""
    return [row[0] for row in tx.all(_OPEN_JOBS, (document_id,))]


def _document(row: Row) -> Document:
    return Document(**dict(zip(row.keys(), row, strict=True)))
