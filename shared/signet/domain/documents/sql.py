"""The only SQL of documents and of their links to memories."""

import json
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.db.dialect import LIST
from signet.db.visibility import Reader, Where, owned
from signet.db.visibility import readable as visible
from signet.domain.documents.models import Chunk, Document, NewDocument, Status
from signet.domain.documents.readers.models import Reading

_FIELDS = (
    "id, source_url, source_type, content_type, content_hash, title, {content} AS raw_content, status, error,"
    " connector_id, chunk_count, memory_count, metadata_json, created_at, updated_at, completed_at,"
    " agent_id, source_stamp"
)
_WHOLE = f"SELECT {_FIELDS.format(content='raw_content')} FROM documents"
_BRIEF = f"SELECT {_FIELDS.format(content='NULL')} FROM documents"
_LIVE = "status NOT IN ('failed', 'deleted')"
_INSERT = (
    "INSERT INTO documents (id, source_url, source_type, content_type, content_hash, title, raw_content, status,"
    " connector_id, metadata_json, created_at, updated_at, agent_id, source_stamp)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)"
)
_CHUNKS = (
    "SELECT m.id, m.content, m.type, m.created_at, d.chunk_index FROM document_memories d"
    " JOIN memories m ON m.id = d.memory_id WHERE d.document_id = ? AND m.is_deleted = 0 AND {readable}"
    " ORDER BY d.chunk_index, m.seq"
)
# A document that is done or deleted never moves again: a late run cannot bring it back (DOC-2, DOC-10).
ADVANCE = """
UPDATE documents SET status = ?, error = ?, updated_at = ? WHERE id = ? AND status NOT IN ('done', 'deleted')
"""
#: A reading that was finished stays so only while the text is the same.
_KEEP = """
UPDATE documents SET raw_content = :text, content_type = :type, title = COALESCE(title, :title),
       status = 'chunking', error = NULL, updated_at = :now, content_hash = :hash,
       completed_at = CASE WHEN content_hash = :hash THEN completed_at END
 WHERE id = :id AND status NOT IN ('done', 'deleted')
RETURNING completed_at IS NOT NULL
"""
SET_CONNECTOR = f"UPDATE documents SET connector_id = ? WHERE id IN {LIST}"
REQUEUE = """
UPDATE documents SET status = 'queued', error = NULL, raw_content = NULL, updated_at = :now, source_stamp = :stamp,
       content_hash = CASE WHEN :forced THEN NULL ELSE content_hash END
 WHERE id = :id AND status <> 'deleted'
"""
# What changed after it was queued is queued again when somebody looks: its stamp is forgotten.
_FAIL = """
UPDATE documents SET status = 'failed', error = :error, updated_at = :now,
       source_stamp = CASE WHEN source_stamp IS :stamp THEN source_stamp END
 WHERE id = :id AND status NOT IN ('done', 'deleted')
"""
SAME = "UPDATE documents SET status = 'done', error = NULL, updated_at = ?1, completed_at = ?1 WHERE id = ?2"
_FINISH = """
UPDATE documents SET status = 'done', error = NULL, chunk_count = ?, updated_at = ?, completed_at = ?,
       memory_count = (SELECT count(*) FROM document_memories WHERE document_id = documents.id)
 WHERE id = ? AND status NOT IN ('done', 'deleted')
"""
LINK = (
    "INSERT INTO document_memories (document_id, memory_id, chunk_index) VALUES (?, ?, ?)"
    " ON CONFLICT (document_id, memory_id) DO UPDATE SET chunk_index = min(chunk_index, excluded.chunk_index)"
)
LINKED = "SELECT memory_id FROM document_memories WHERE document_id = ?"
UNLINK = f"DELETE FROM document_memories WHERE document_id = ? AND memory_id IN {LIST}"
UNLINK_MEMORIES = f"DELETE FROM document_memories WHERE memory_id IN {LIST}"
#: Of some memories those that came from document ingest and that no other live document holds (DOC-1). The order of
#: the join is forced: the planner would rather look through all memories that are not deleted.
LOOSE = """
SELECT m.id FROM json_each(?) AS wanted CROSS JOIN memories m ON m.id = wanted.value
 WHERE m.is_deleted = 0
   AND m.source_type = 'document' AND m.type = 'document_chunk'
   AND NOT EXISTS (SELECT 1 FROM document_memories d JOIN documents o ON o.id = d.document_id
                    WHERE d.memory_id = m.id AND d.document_id <> ? AND o.status <> 'deleted')
"""
_ROOTS = """
SELECT COALESCE(config_json ->> 'rootPath', config_json ->> 'path') FROM connectors
 WHERE provider = 'filesystem' AND json_valid(config_json)
"""
OPEN_JOBS = "SELECT id FROM memory_jobs WHERE document_id = ? AND status IN ('pending', 'leased')"


def insert(
    tx: WriteTx, document_id: str, new: NewDocument, *, content_hash: str | None, at: datetime
) -> None:
    """Insert a queued document."""
    text = clock.to_text(at)
    metadata = None if new.metadata is None else json.dumps(new.metadata, ensure_ascii=False)
    source = (new.url, new.source_type, new.content_type, content_hash, new.title, new.content)
    owner = (new.agent_id, new.source_stamp)
    tx.run(_INSERT, (document_id, *source, new.connector_id, metadata, text, text, *owner))


def by_id(tx: ReadTx, document_id: str) -> Document | None:
    """Return the whole document."""
    row = tx.one(f"{_WHOLE} WHERE id = ?", (document_id,))
    return _document(row) if row else None


def readable(tx: ReadTx, document_id: str, reader: Reader) -> Document | None:
    """Return the whole document if this reader may see it."""
    where = owned(reader, "documents")
    row = tx.one(f"{_WHOLE} WHERE id = ? AND {where.sql}", (document_id, *where.params))
    return _document(row) if row else None


def by_url(tx: ReadTx, url: str, agent_id: str) -> Document | None:
    """Return the agent's document of this address that is neither failed nor deleted, without its content."""
    sql = f"{_BRIEF} WHERE source_url = ? AND agent_id = ? AND {_LIVE}"
    row = tx.one(sql, (url, agent_id))
    return _document(row) if row else None


def by_text(tx: ReadTx, content_hash: str, agent_id: str) -> Document | None:
    """Return the agent's text document of this content that is neither failed nor deleted, without its content."""
    sql = f"{_BRIEF} WHERE content_hash = ? AND agent_id = ? AND source_type = 'text' AND {_LIVE}"
    row = tx.one(sql, (content_hash, agent_id))
    return _document(row) if row else None


def newest(
    tx: ReadTx,
    reader: Reader,
    *,
    status: Status | None,
    limit: int,
    offset: int,
    with_content: bool,
) -> list[Document]:
    """Return documents that this reader may see, newest first."""
    where = owned(reader, "documents") & Where("(? IS NULL OR status = ?)", (status, status))
    sql = (_WHOLE if with_content else _BRIEF) + (
        f" WHERE {where.sql} ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?"
    )
    return [_document(row) for row in tx.all(sql, (*where.params, limit, offset))]


def count(tx: ReadTx, reader: Reader, *, status: Status | None) -> int:
    """Return how many documents this reader may see."""
    where = owned(reader, "documents") & Where("(? IS NULL OR status = ?)", (status, status))
    return int(tx.value(f"SELECT count(*) FROM documents WHERE {where.sql}", where.params))


def chunks(tx: ReadTx, document_id: str, reader: Reader) -> list[Chunk]:
    """Return the active chunks of a document that this reader may see, in its order."""
    where = visible(reader)
    return [
        Chunk(
            id=row["id"],
            content=row["content"],
            type=row["type"],
            created_at=row["created_at"],
            chunk_index=row["chunk_index"],
        )
        for row in tx.all(_CHUNKS.format(readable=where.sql), (document_id, *where.params))
    ]


def connector_exists(tx: ReadTx, connector_id: str) -> bool:
    """Return whether there is such a connector."""
    return tx.one("SELECT 1 FROM connectors WHERE id = ?", (connector_id,)) is not None


def fail(tx: WriteTx, document_id: str, *, error: str, stamp: str | None, at: datetime) -> None:
    """Show that the document could not be read, if it was read in the state of `stamp`."""
    values = {"id": document_id, "error": error, "stamp": stamp, "now": clock.to_text(at)}
    tx.run(_FAIL, values)


def keep(tx: WriteTx, document_id: str, reading: Reading, *, digest: str, at: datetime) -> bool:
    """Store what was read; True when a reading of the same text is finished already."""
    values = {
        "id": document_id,
        "text": reading.text,
        "type": reading.content_type,
        "title": reading.title,
        "hash": digest,
        "now": clock.to_text(at),
    }
    row = tx.one(_KEEP, values)
    return row is not None and bool(row[0])


def stamp(tx: ReadTx, document_id: str) -> str | None:
    """Return the state of its source in which the document was last queued."""
    found = tx.value("SELECT source_stamp FROM documents WHERE id = ?", (document_id,))
    return None if found is None else str(found)


def roots(tx: ReadTx) -> list[str]:
    """Return the folders of all connectors; those of an older file may be called `path`."""
    return [str(row[0]) for row in tx.all(_ROOTS) if row[0]]


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


def _document(row: Row) -> Document:
    return Document(**dict(zip(row.keys(), row, strict=True)))
