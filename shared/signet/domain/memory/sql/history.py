"""SQL of `memory_history`, one row for each change, and `memories_cold`, whole rows of past memories."""

from collections.abc import Sequence
from typing import NamedTuple

from signet.db import WriteTx
from signet.db.dialect import LIST, THEN_JOIN, as_list

INSERT = (
    "INSERT INTO memory_history (id, memory_id, event, old_content, new_content, changed_by, actor_type, reason,"
    " metadata, created_at, session_id, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
CHANGES = """
SELECT h.id, h.event, h.old_content, h.new_content, h.changed_by, h.actor_type, h.reason, h.metadata, h.created_at,
       h.session_id, h.request_id
  FROM memory_history h LEFT JOIN memories m ON m.id = h.memory_id
       LEFT JOIN forgotten_values v ON v.memory_id = h.memory_id AND v.part = 0 AND m.id IS NULL
 WHERE h.memory_id = ? AND {where} ORDER BY h.created_at, h.rowid LIMIT ?"""
#: Visible changes of all memories, newest first, without proposals that changed nothing.
PAGE = """
SELECT h.id, h.event, h.old_content, h.new_content, h.changed_by, h.actor_type, h.reason, h.metadata, h.created_at,
       h.session_id, h.request_id, h.memory_id, NULL AS content
  FROM memory_history h LEFT JOIN memories m ON m.id = h.memory_id
       LEFT JOIN forgotten_values v ON v.memory_id = h.memory_id AND v.part = 0 AND m.id IS NULL
 WHERE {where} AND h.event <> 'none' ORDER BY h.created_at DESC, h.id DESC LIMIT ?"""
#: Memories imported since an instant, by source.
IMPORTED = """
SELECT m.source_type AS key, count(*) AS count FROM memory_history h JOIN memories m ON m.id = h.memory_id
 WHERE h.created_at >= ? AND h.event = 'created' AND h.changed_by <> 'pipeline' AND m.origin = 'imported'
   AND m.source_type <> 'pipeline-v2' AND m.is_deleted = 0 AND {where} GROUP BY 1 ORDER BY 2 DESC"""
#: The first change after an instant has the text before it.
TEXTS = f"""
SELECT seq, text FROM (SELECT m.seq, (
  SELECT h.old_content FROM memory_history h
  WHERE h.memory_id = m.id AND h.event = 'updated' AND h.created_at > ? AND h.old_content IS NOT h.new_content
  ORDER BY h.created_at, h.rowid LIMIT 1) AS text
FROM memories m WHERE m.seq IN {LIST}) WHERE text IS NOT NULL"""
#: The last person or program that forgot each memory, and the reason.
FORGOTTEN = f"""
SELECT m.id, h.changed_by, h.reason FROM memories m {THEN_JOIN} memory_history h ON h.rowid = (
  SELECT l.rowid FROM memory_history l WHERE l.memory_id = m.id AND l.event IN ('deleted', 'rejected')
  ORDER BY l.created_at DESC, l.rowid DESC LIMIT 1)
WHERE m.id IN {LIST}"""
#: The texts of a memory, and quotes of it in the decisions of other memories' history.
BLANK = (
    "UPDATE memory_history SET old_content = NULL, new_content = NULL, metadata = NULL WHERE memory_id = ?1",
    "UPDATE memory_history SET metadata = json_remove(metadata, '$.fact.content', '$.targetContent')"
    " WHERE instr(metadata, ?1) AND json_valid(metadata)",
)
#: Changes by people since an instant; changes by the pipeline are not a judgement.
TAKEN_BACK = f"""
SELECT DISTINCT memory_id, event FROM memory_history
 WHERE memory_id IN {LIST} AND created_at >= ? AND actor_type IS NOT 'pipeline'
   AND (event IN ('deleted', 'rejected') OR event = 'updated' AND old_content IS NOT new_content)"""
METADATA = "SELECT metadata FROM memory_history WHERE memory_id = ? AND event = 'none' AND reason = ? ORDER BY rowid"
OF_LAST = "SELECT metadata FROM memory_history WHERE memory_id = ? AND event = ? ORDER BY rowid DESC LIMIT 1"
LAST = "SELECT coalesce(max(rowid), 0) FROM memory_history"
#: Without rows of repairs, which belong to no memory, and proposals that changed nothing.
SINCE = """
SELECT rowid AS number, memory_id, event FROM memory_history
 WHERE rowid > ? AND memory_id <> 'system' AND event <> 'none' ORDER BY rowid LIMIT ?"""
DELETE_OLDEST = (
    "DELETE FROM memory_history WHERE rowid IN"
    " (SELECT rowid FROM memory_history WHERE created_at < ? ORDER BY created_at LIMIT ?)"
)


class Numbered(NamedTuple):
    """One change of a memory, and its number in the order of commits."""

    number: int
    memory_id: str
    event: str


class ForgettingRow(NamedTuple):
    """The last person or program that forgot a memory, and the reason."""

    id: str
    changed_by: str
    reason: str | None


WHOLE = "SELECT * FROM memories WHERE id = ?"
#: Columns that a copy shares with its memory.
SAME = (
    "type, category, content, confidence, importance, source_id, source_type, tags, who, why, project, content_hash,"
    " normalized_content, extraction_status, embedding_model, extraction_model, update_count, agent_id"
)
COPY = (
    f"INSERT INTO memories_cold (archive_id, memory_id, {SAME}, original_created_at, archived_at, archived_reason,"
    f" original_row_json) VALUES (?, ?, {', '.join('?' * (SAME.count(',') + 1))}, ?, ?, ?, ?)"
)
DELETE_ALL_COPIES = "DELETE FROM memories_cold WHERE memory_id = ?"
DELETE_COPIES = "DELETE FROM memories_cold WHERE memory_id = ? AND archived_reason = ?"


IS_ANY = "SELECT EXISTS (SELECT 1 FROM forgotten_values)"
PUT = (
    "INSERT OR REPLACE INTO forgotten_values"
    " (memory_id, part, value_hash, agent_id, visibility, scope, project, why, label, since)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
MATCHING = (
    "SELECT memory_id, value_hash, agent_id, visibility, scope FROM forgotten_values"
    f" WHERE value_hash IN {LIST} ORDER BY since, memory_id, part"
)
_FIELDS = (
    "v.memory_id AS id, v.agent_id, v.scope, v.why, v.label, v.since,"
    " (SELECT m.deleted_at FROM memories m WHERE m.id = v.memory_id AND m.is_deleted = 1) AS recoverable_until"
)
NEWEST = f"SELECT {_FIELDS} FROM forgotten_values v WHERE v.part = 0 AND "
AFTER = " AND (v.since, v.memory_id) < (?, ?)"
PAGE_SQL = " ORDER BY v.since DESC, v.memory_id DESC LIMIT ?"
COUNT_VALUES = "SELECT count(*) FROM forgotten_values v WHERE v.part = 0 AND "
NAMED = f"SELECT memory_id FROM forgotten_values WHERE part = 0 AND memory_id IN {LIST}"
_DELETE = f"DELETE FROM forgotten_values WHERE memory_id IN {LIST}"


WHOLE_SQL = (
    "SELECT memory_id, part, value_hash, agent_id, visibility, scope, project, why, label, since"
    " FROM forgotten_values ORDER BY memory_id, part"
)
ACTIVE = "SELECT id FROM memories WHERE is_deleted = 0 ORDER BY seq"


class StoredValue(NamedTuple):
    """A whole row."""

    memory_id: str
    part: int
    value_hash: str
    agent_id: str
    visibility: str
    scope: str | None
    project: str | None
    why: str
    label: str | None
    since: str


class KnownValue(NamedTuple):
    """A stored row with the value of a new text."""

    memory_id: str
    value_hash: str
    agent_id: str
    visibility: str
    scope: str | None


def delete_values(tx: WriteTx, memory_ids: Sequence[str]) -> int:
    return tx.run(_DELETE, (as_list(memory_ids),))
