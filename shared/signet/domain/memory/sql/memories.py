"""SQL for rows of `memories`: insert, read, change and hide.

Three keys identify a repeated save: the idempotency key, the source and the content hash. All are searched among the
rows of one owner, visibility and scope, so that no answer contains a row that its reader may not see.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx, cursor, visibility
from signet.db.dialect import LIST, THEN_JOIN, as_list, list_rows
from signet.db.visibility import Reader, Where
from signet.domain.memory.models import Draft, Memory, tags_of
from signet.domain.memory.wording import Normalized
from signet.wire.injections import SessionMemory
from signet.wire.memory import MemoryStats
from signet.wire.origin import Origin, Review

_COLUMNS = (
    "id, type, content, normalized_content, content_hash, confidence, importance, source_id, source_type,"
    " tags, who, why, project, session_id, created_at, updated_at, updated_by, pinned, extraction_status,"
    " embedding_model, extraction_model, idempotency_key, runtime_path, scope, agent_id, visibility, ordinal,"
    " event_at, origin, review"
)
_INSERT = (
    f"INSERT INTO memories ({_COLUMNS}) VALUES ({', '.join('?' * (_COLUMNS.count(',') + 1))})"
    " ON CONFLICT DO NOTHING"
)

PINNED_RULES = (
    "SELECT content FROM memories WHERE is_deleted = 0 AND pinned = 1 AND type IN ('rule', 'constraint')"
    " ORDER BY created_at DESC"
)
_FIELDS = (
    "m.id, m.content, m.type, m.importance, m.tags, m.pinned, m.who, m.why, m.source_id, m.source_type, m.project,"
    " m.session_id, m.confidence, m.access_count, m.last_accessed, m.is_deleted, m.deleted_at,"
    " m.extraction_status, m.embedding_model, m.content_hash, m.version, m.created_at, m.updated_at,"
    " m.updated_by, m.agent_id, m.visibility, m.scope, m.ordinal, m.event_at, m.manual_override,"
    " m.valid_from, m.valid_to, m.superseded_by, m.origin, m.review, m.source_path"
)
_NAMES = [name.strip().removeprefix("m.") for name in _FIELDS.split(",")]
_READ = f"SELECT {_FIELDS} FROM memories m"
_BY_ID = f"{_READ} WHERE m.id = ?"
OWNERS = f"SELECT id, project, agent_id, visibility FROM memories WHERE id IN {LIST}"
_BY_KEY = f"{_READ} WHERE m.idempotency_key = ? AND m.agent_id = ?"
_ACTIVE_SOURCE = (
    f"{_READ} WHERE m.source_type = ? AND m.source_id = ? AND m.is_deleted = 0 AND m.agent_id = ?"
    " AND m.visibility = ? AND m.scope IS ?"
)
_BY_SOURCE = f"{_ACTIVE_SOURCE} AND m.ordinal IS ? ORDER BY m.seq LIMIT 1"
_BY_GROUP = f"{_ACTIVE_SOURCE} ORDER BY m.ordinal LIMIT 1"
_BY_HASH = (
    f"{_READ} WHERE m.content_hash = ? AND m.agent_id = ? AND m.visibility = ?"
    " AND COALESCE(m.scope, '') = COALESCE(?, '') AND COALESCE(m.project, '') = COALESCE(?, '') AND m.is_deleted = 0"
)
AMONG = f"m.id IN {LIST}"
_BEGINNING = "SELECT m.id FROM memories m WHERE m.id >= ? AND m.id < ? AND "
_STATS = """
SELECT count(*) AS total,
       coalesce(sum(EXISTS (SELECT 1 FROM embeddings e WHERE e.source_type = 'memory' AND e.source_id = m.id)), 0)
       AS with_embeddings,
       coalesce(sum(m.importance >= ?), 0) AS critical
FROM memories m WHERE m.is_deleted = 0 AND """
_HIDE = (
    "UPDATE memories SET is_deleted = 1, deleted_at = ?, updated_at = ?, version = version + 1"
    " WHERE id = ? AND is_deleted = 0 RETURNING content"
)
UNHIDE = (
    "UPDATE memories SET is_deleted = 0, deleted_at = NULL, updated_at = ?, updated_by = ?, version = version + 1"
    " WHERE id = ?"
)
_TWIN = (
    "SELECT id FROM memories WHERE content_hash = ? AND agent_id = ? AND visibility = ?"
    " AND COALESCE(scope, '') = COALESCE(?, '') AND COALESCE(project, '') = COALESCE(?, '') AND is_deleted = 0"
    " AND id <> ?"
)
#: Another statement sets the text: naming its column would rewrite the full-text index.
_PATCH = (
    "UPDATE memories SET type = coalesce(?, type), importance = coalesce(?, importance),"
    " pinned = coalesce(?, pinned), who = coalesce(?, who), tags = CASE WHEN ? THEN ? ELSE tags END,"
    " version = version + 1, update_count = coalesce(update_count, 0) + 1, updated_at = ?, updated_by = ? WHERE id = ?"
)
#: A fact that the project has already stays in its place.
FILE = f"UPDATE OR IGNORE memories SET project = ? WHERE id IN {LIST}"
_REWRITE = (
    "UPDATE memories SET content = ?, normalized_content = ?, content_hash = ?, event_at = ?,"
    " extraction_status = 'none', embedding_model = NULL WHERE id = ?"
)
_WAITING = (
    f"{_READ} WHERE m.review IN ('waiting', 'replaces') AND +m.is_deleted = 0 AND {{where}}"
    " ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
)
_COUNT_WAITING = "SELECT count(*) FROM memories m WHERE m.review IN ('waiting', 'replaces') AND +m.is_deleted = 0 AND "
#: Memories of an agent's session, and their relation to it.
_OF_SESSION = """
SELECT m.id, m.content, m.type, m.created_at, CASE WHEN d.memory_id IS NULL THEN 'saved' ELSE 'distilled' END AS how
  FROM memories m LEFT JOIN memory_sources d ON d.memory_id = m.id AND d.kind = 'session' AND d.source_id = ?
 WHERE m.agent_id = ? AND (m.session_id = ? OR d.memory_id IS NOT NULL) AND m.is_deleted = 0 AND {where}
 ORDER BY m.seq"""
IS_ANY = "SELECT EXISTS (SELECT 1 FROM memories)"
BEHIND = "SELECT id FROM memories WHERE superseded_by = ? ORDER BY seq DESC LIMIT ?"
SET_KEPT = "UPDATE memories SET manual_override = ? WHERE id = ?"
SET_VISIBILITY = "UPDATE memories SET visibility = ? WHERE id = ?"
#: Naming `type` makes the change visible to caches of columns.
_SET_ORIGIN = "UPDATE memories SET origin = ?, review = ?, type = type WHERE id = ?"
#: Importance from which the statistics count a memory as critical (MEM-19).
CRITICAL = 0.9


def insert(
    tx: WriteTx, memory_id: str, draft: Draft, text: Normalized, review: Review | None
) -> bool:
    """Insert one row; False if an active row has its hash, or any row its idempotency key."""
    at = clock.to_text(draft.created_at)
    row = (
        memory_id,
        draft.type,
        text.storage,
        text.canonical,
        text.content_hash,
        draft.confidence,
        draft.importance,
        draft.source_id,
        draft.source_type,
        (json.dumps(draft.tags, ensure_ascii=False) if draft.tags else None),
        draft.who,
        draft.why,
        draft.project,
        draft.session_id,
        at,
        at,
        draft.updated_by,
        draft.pinned,
        draft.extraction_status,
        draft.embedding_model,
        draft.extraction_model,
        draft.idempotency_key,
        draft.runtime_path,
        draft.scope,
        draft.agent_id,
        draft.visibility,
        draft.ordinal,
        draft.event_at,
        draft.origin,
        review,
    )
    return tx.run(_INSERT, row) == 1


def by_id(tx: ReadTx, memory_id: str) -> Memory | None:
    """Return the memory, deleted or not."""
    return _memory(tx.one(_BY_ID, (memory_id,)))


def readable(tx: ReadTx, memory_id: str, reader: Reader) -> Memory | None:
    """Return the memory in any scope, even if deleted, if this reader may see it."""
    seen = visibility.readable(replace(reader, any_scope=True))
    return _memory(tx.one(f"{_BY_ID} AND {seen.sql}", (memory_id, *seen.params)))


def of_session(tx: ReadTx, key: str, reader: Reader) -> list[SessionMemory]:
    """Return the active memories of the reader's own agent that belong to a session, oldest first."""
    seen = visibility.readable(reader)
    asked = (key, reader.agent_id, key, *seen.params)
    return tx.records(SessionMemory, _OF_SESSION.format(where=seen.sql), asked)


def ids_with(tx: ReadTx, prefix: str, reader: Reader, *, limit: int) -> list[str]:
    """Return the IDs with this prefix in any scope, including deleted ones; none for an empty prefix."""
    seen = visibility.readable(replace(reader, any_scope=True))
    beyond = prefix + "\U0010ffff"
    rows = tx.all(_BEGINNING + seen.sql + " LIMIT ?", (prefix, beyond, *seen.params, limit))
    return [row[0] for row in rows] if prefix else []


def by_ids(tx: ReadTx, memory_ids: Sequence[str], *, texts: Mapping[str, str]) -> list[Memory]:
    """Return the existing memories in this order, including deleted ones; `texts` replace theirs."""
    here = Where(AMONG, (as_list(memory_ids),))
    found = {row["id"]: row for row in tx.all(f"{_READ} WHERE {here.sql}", here.params)}
    rows = (_value(found[memory_id]) for memory_id in memory_ids if memory_id in found)
    return [replace(one, content=texts.get(one.id, one.content)) if texts else one for one in rows]


def stats(tx: ReadTx, reader: Reader) -> MemoryStats:
    seen = visibility.readable(reader)
    [counted] = tx.records(MemoryStats, _STATS + seen.sql, (CRITICAL, *seen.params))
    return counted


def by_key(tx: ReadTx, key: str, agent_id: str) -> Memory | None:
    """Return the memory saved with this idempotency key, even if deleted."""
    return _memory(tx.one(_BY_KEY, (key, agent_id)))


def by_source(tx: ReadTx, draft: Draft) -> Memory | None:
    """Return the first active memory with the draft's source and place."""
    owner = (draft.agent_id, draft.visibility, draft.scope)
    return _memory(tx.one(_BY_SOURCE, (draft.source_type, draft.source_id, *owner, draft.ordinal)))


def by_group(tx: ReadTx, piece: Draft) -> Memory | None:
    """Return the first active memory of the draft's source, at any place."""
    owner = (piece.agent_id, piece.visibility, piece.scope)
    return _memory(tx.one(_BY_GROUP, (piece.source_type, piece.source_id, *owner)))


def by_hash(tx: ReadTx, draft: Draft, content_hash: str) -> Memory | None:
    """Return the active memory with the same text, owner, visibility, scope and project."""
    owner = (draft.agent_id, draft.visibility, draft.scope, draft.project)
    return _memory(tx.one(_BY_HASH, (content_hash, *owner)))


def hide(tx: WriteTx, memory_id: str, *, at: datetime) -> str | None:
    """Mark an active memory forgotten and return its text; None without an active one."""
    text = clock.to_text(at)
    hidden: str | None = tx.value(_HIDE, (text, text, memory_id))
    return hidden


def twin(tx: ReadTx, memory: Memory, content_hash: str) -> str | None:
    """Return the ID of another active memory of the same owner, visibility, scope and project with this hash."""
    owner = (memory.agent_id, memory.visibility, memory.scope, memory.project)
    found: str | None = tx.value(_TWIN, (content_hash, *owner, memory.id))
    return found


def patch(
    tx: WriteTx, memory_id: str, fields: Mapping[str, object], *, by: str, at: datetime
) -> None:
    """Set these fields (type, importance, pinned, who, tags) and count the change as one version."""
    tags = fields.get("tags")
    row = (
        *(fields.get(name) for name in ("type", "importance", "pinned", "who")),
        *("tags" in fields, json.dumps(tags, ensure_ascii=False) if tags else None),
        *(clock.to_text(at), by, memory_id),
    )
    tx.run(_PATCH, row)


def rewrite(tx: WriteTx, memory_id: str, text: Normalized, event_at: str | None) -> None:
    """Store a new text without facts and vectors; the caller counts the change."""
    row = (text.storage, text.canonical, text.content_hash, event_at, memory_id)
    tx.run(_REWRITE, row)


def waiting(
    tx: ReadTx, reader: Reader, *, limit: int, after: Sequence[cursor.Value] = ()
) -> list[Memory]:
    """Return active memories that wait for a review, newest first, after a time and an ID."""
    seen = visibility.readable(reader)
    where = f"{seen.sql} AND (m.created_at, m.id) < (?, ?)" if after else seen.sql
    rows = tx.all(_WAITING.format(where=where), (*seen.params, *after, limit))
    return [_value(row) for row in rows]


def count_waiting(tx: ReadTx, reader: Reader | None) -> int:
    """Count the active memories that wait for a review; those of all owners without a reader."""
    seen = visibility.readable(reader) if reader else Where("1")
    return int(tx.value(_COUNT_WAITING + seen.sql, seen.params))


def set_origin(tx: WriteTx, memory_id: str, origin: Origin, review: Review | None) -> None:
    tx.run(_SET_ORIGIN, (origin, review, memory_id))


def _memory(row: Row | None) -> Memory | None:
    return None if row is None else _value(row)


def _value(row: Row) -> Memory:
    fields = dict(zip(_NAMES, row, strict=True))
    for flag in ("pinned", "is_deleted", "manual_override"):
        fields[flag] = bool(fields[flag])
    fields["origin"] = Origin(fields["origin"] or Origin.AGENT)
    fields["review"] = Review(fields["review"]) if fields["review"] else None
    return Memory(**fields | {"tags": tags_of(fields["tags"])})


SET_EXTRACTION = "UPDATE memories SET extraction_status = ?, extraction_model = ? WHERE id = ?"
SET_VECTOR_MODEL = (
    "UPDATE memories SET embedding_model = ?1 WHERE id = ?2 AND embedding_model IS NOT ?1"
)
COUNT_USE = "UPDATE memories SET access_count = access_count + 1, last_accessed = ? WHERE id = ?"
COUNT_SHOWING = "UPDATE memories SET access_count = access_count + 1 WHERE id = ?"
SET_PLACE = "UPDATE memories SET source_path = ?, source_section = ? WHERE id = ?"
#: A change by a person or a repair increases the version by one.
SET_TAGS = (
    "UPDATE memories SET tags = ?, updated_at = ?, updated_by = ?, version = version + 1,"
    " update_count = COALESCE(update_count, 0) + 1 WHERE id = ?"
)


ADD_HINT = (
    "INSERT INTO memory_hints (id, memory_id, agent_id, hint, created_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT DO NOTHING"
)
DELETE_HINTS = "DELETE FROM memory_hints WHERE memory_id = ?"
ANY_HINT = "SELECT 1 FROM memory_hints WHERE memory_id = ? LIMIT 1"
#: Those of these memories that are active and have no hints, in this order.
WITHOUT_HINTS = f"""
SELECT m.id FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
 WHERE m.is_deleted = 0 AND NOT EXISTS (SELECT 1 FROM memory_hints h WHERE h.memory_id = m.id)
 ORDER BY j.key"""
