"""SQL of `memory_sources`, `memory_withdrawals`: the sources of derived memories, and memories hidden with others."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from signet.db import WriteTx
from signet.db.dialect import LIST, THEN_JOIN, as_list, by_index, list_of, list_rows


class SourceKind(StrEnum):
    """The kinds of sources of a derived memory; `person` is a person's own confirmation."""

    MEMORY = "memory"
    SESSION = "session"
    PERSON = "person"


class WithdrawReason(StrEnum):
    """Why a derived memory was hidden: its source was hidden, or has a new text."""

    FORGOTTEN = "forgotten"
    CHANGED = "changed"


class Dependent(NamedTuple):
    """A derived memory and its remaining support; `has_other` is another existing source."""

    id: str
    content: str
    is_pinned: int
    is_owned: int
    has_other: int


#: Only derived memories get a further source, and none becomes its own source, directly or indirectly.
ADD = """
INSERT INTO memory_sources (memory_id, kind, source_id)
SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = ?1)
   AND NOT (?2 = 'memory' AND ?1 IN (
     WITH RECURSIVE above (id) AS (
       SELECT CAST(?3 AS TEXT)
       UNION SELECT s.source_id FROM above a JOIN memory_sources s ON s.memory_id = a.id AND s.kind = 'memory')
     SELECT id FROM above))
ON CONFLICT DO NOTHING"""
ABOVE = "SELECT source_id FROM memory_sources WHERE memory_id = ? AND kind = 'memory' LIMIT ?"
BELOW = "SELECT memory_id FROM memory_sources WHERE kind = 'memory' AND source_id = ? ORDER BY memory_id DESC LIMIT ?"
IS_DERIVED = "SELECT 1 FROM memory_sources WHERE memory_id = ? LIMIT 1"
LOSE = f"DELETE FROM memory_sources WHERE kind = 'memory' AND source_id = ?1 AND memory_id IN {list_of('?2')}"
MOVE = f"""
INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
SELECT memory_id, kind, ?2 FROM memory_sources
 WHERE kind = 'memory' AND source_id IN {list_of("?1")} AND memory_id <> ?2"""
#: A session that was not forgotten.
_IS_KEPT = """
NOT EXISTS (SELECT 1 FROM forgotten_sessions g WHERE g.agent_id = m.agent_id AND g.session_key = o.source_id)"""
#: Memories based on a session, and its harness's summaries of it.
OF_SESSION = f"""
SELECT m.id, m.content, coalesce(m.pinned, 0) OR coalesce(m.manual_override, 0) AS is_pinned,
       EXISTS (SELECT 1 FROM memory_sources p WHERE p.memory_id = m.id AND p.kind = 'person') AS is_owned,
       EXISTS (SELECT 1 FROM memory_sources o WHERE o.memory_id = m.id AND CASE o.kind
         WHEN 'memory' THEN EXISTS (SELECT 1 FROM memories f WHERE f.id = o.source_id AND f.is_deleted = 0)
         WHEN 'session' THEN o.source_id <> ?2 AND {_IS_KEPT}
         ELSE 0 END) AS has_other
  FROM memories m WHERE m.agent_id = ?1 AND m.is_deleted = 0
   AND (m.id IN (SELECT memory_id FROM memory_sources WHERE kind = 'session' AND source_id = ?2)
     OR (m.session_id = ?2 AND m.type = 'session_summary' AND m.origin = 'inferred'))
 ORDER BY m.seq"""
#: Memories based on deleted memories (`?1`), and `?2`; deleted ones are left out.
DEPENDENTS = f"""
SELECT m.id, m.content, coalesce(m.pinned, 0) OR coalesce(m.manual_override, 0) AS is_pinned,
       EXISTS (SELECT 1 FROM memory_sources p WHERE p.memory_id = m.id AND p.kind = 'person') AS is_owned,
       EXISTS (SELECT 1 FROM memory_sources o WHERE o.memory_id = m.id AND CASE o.kind
         WHEN 'memory' THEN o.source_id NOT IN {list_of("?1")}
              AND EXISTS (SELECT 1 FROM memories f WHERE f.id = o.source_id AND f.is_deleted = 0)
         WHEN 'session' THEN m.id NOT IN {list_of("?2")} AND {_IS_KEPT}
         ELSE 0 END) AS has_other
FROM (SELECT memory_id FROM memory_sources WHERE kind = 'memory' AND source_id IN {list_of("?1")}
      UNION SELECT value FROM {list_rows("?2")}) s
{THEN_JOIN} memories m ON m.id = s.memory_id
WHERE m.is_deleted = 0 AND m.id NOT IN {list_of("?1")} ORDER BY m.seq"""
#: Facts of sessions, and harness summaries, that may have the value of a memory.
LIKE = f"""
SELECT m.id, m.content FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
 WHERE memories_fts MATCH ? AND m.agent_id = ? AND m.is_deleted = 0
   AND (m.source_type = 'session_end' OR (m.type = 'session_summary' AND m.origin = 'inferred'))
   AND m.id NOT IN {LIST} ORDER BY f.rank LIMIT 50"""
_DOCUMENT = "'document:' || o.id || coalesce(' ' || coalesce(o.title, o.source_url), '')"
#: Pieces of documents that may have the value of a memory, each with one of its documents.
IN_DOCUMENTS = f"""
SELECT m.content, {_DOCUMENT} AS document
  FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
  JOIN document_memories d ON d.memory_id = m.id JOIN documents o ON o.id = d.document_id AND o.status <> 'deleted'
 WHERE memories_fts MATCH ? AND m.agent_id = ? AND m.is_deleted = 0 AND m.type = 'document_chunk'
   AND m.id NOT IN {LIST} ORDER BY f.rank LIMIT 50"""
#: The documents of which a memory is a piece.
HOLDERS = f"""
SELECT {_DOCUMENT} FROM document_memories d JOIN documents o ON o.id = d.document_id AND o.status <> 'deleted'
 WHERE d.memory_id IN {LIST} ORDER BY o.created_at"""
#: Facts of sessions and harness summaries, including hidden ones, hidden pieces of documents, and merged duplicates.
SAID_ELSEWHERE = """
SELECT seq, agent_id, content FROM memories
 WHERE seq > ? AND (source_type = 'session_end' OR (type = 'session_summary' AND origin = 'inferred')
    OR (is_deleted = 1 AND (type = 'document_chunk' OR id IN (
        SELECT memory_id FROM memory_history WHERE event = 'deleted' AND reason LIKE 'dedup: duplicate of %'))))
 ORDER BY seq LIMIT ?"""
ID_OF = "SELECT id FROM memories WHERE seq = ? AND content = ?"
WITHDRAW = """
INSERT OR REPLACE INTO memory_withdrawals (memory_id, root_id, why, created_at) VALUES (?, ?, ?, ?)"""
RELEASE = "DELETE FROM memory_withdrawals WHERE memory_id = ?"
IS_WITHDRAWN = "SELECT 1 FROM memory_withdrawals WHERE memory_id = ?"
#: Memories hidden with a memory, or with another source while this one states them too.
WITHDRAWN = f"""
SELECT w.memory_id FROM memory_withdrawals w JOIN memories m ON m.id = w.memory_id AND m.is_deleted = 1
 WHERE w.why = 'forgotten' AND (w.root_id IN {list_of("?1")} OR EXISTS (
       SELECT 1 FROM memory_sources s WHERE s.memory_id = w.memory_id AND s.kind = 'memory'
          AND s.source_id IN {list_of("?1")})) ORDER BY m.seq"""
RETIRED = f"""
SELECT w.memory_id
  FROM memory_withdrawals w {THEN_JOIN} memories m ON m.id = w.memory_id AND m.is_deleted = 1
 WHERE w.root_id = ? AND w.why = 'changed' AND m.content_hash = ? LIMIT 1"""


_FIELDS = "id, content, agent_id, scope, visibility, superseded_by, valid_from"
ONE = f"SELECT {_FIELDS} FROM memories WHERE id = ? AND is_deleted = 0"
OLD = f"""
SELECT {", ".join(f"m.{name}" for name in _FIELDS.split(", "))}
  FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
WHERE m.is_deleted = 0 ORDER BY j.key
"""
#: Memories that a comparison of texts, not a person, linked to their successor.
LINKED = f"SELECT {_FIELDS} FROM memories WHERE superseded_by = ? AND updated_by LIKE 'pipeline:%' AND is_deleted = 0"
#: All successors of a memory, one after the other; UNION ends a cycle in a foreign file.
CHAIN = """
WITH RECURSIVE chain (id) AS (
  SELECT superseded_by FROM memories WHERE id = ?
  UNION SELECT m.superseded_by FROM chain c JOIN memories m ON m.id = c.id
)
SELECT id FROM chain WHERE id IS NOT NULL
"""
#: The condition that a row of `memories` was superseded.
REPLACED = """
({alias}.superseded_by IS NOT NULL AND EXISTS (
  WITH RECURSIVE chain (id) AS (
    SELECT {alias}.superseded_by UNION SELECT r.superseded_by FROM chain c JOIN memories r ON r.id = c.id
  )
  SELECT 1 FROM chain c JOIN memories r ON r.id = c.id WHERE r.is_deleted = 0))
"""
CURRENT = f"""
SELECT m.id FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
 WHERE m.is_deleted = 0 AND NOT {REPLACED.format(alias="m")}"""
ENDED = "SELECT valid_to FROM memories WHERE id = ? AND superseded_by IS NOT NULL"
LINK = "UPDATE memories SET superseded_by = ?, valid_to = ?, updated_at = ?, updated_by = ? WHERE id = ?"
BEGIN = "UPDATE memories SET valid_from = ?1 WHERE id = ?2 AND valid_from IS NOT ?1"
REPOINT = f"UPDATE memories SET superseded_by = ? WHERE superseded_by IN {LIST}"


class Link(NamedTuple):
    """A successor, and the fields that must agree with it."""

    id: str
    content: str
    agent_id: str
    scope: str | None
    visibility: str | None
    superseded_by: str | None
    valid_from: str | None


_LISTED = f"IN {list_of('?1')}"
_DELETE = f"DELETE FROM memories WHERE id {_LISTED}"
#: Dependent changes in this noun's tables. The successor of a deleted memory also succeeds that memory's predecessors.
_COMPANIONS = (
    f"""UPDATE memories SET superseded_by = (
      WITH RECURSIVE chain (id) AS (
        SELECT memories.superseded_by
        UNION SELECT gone.superseded_by FROM chain c JOIN memories gone ON gone.id = c.id WHERE c.id {_LISTED})
      SELECT c.id FROM chain c WHERE c.id NOT {_LISTED}) WHERE superseded_by {_LISTED}""",
    f"DELETE FROM memory_hints WHERE memory_id {_LISTED}",
    f"DELETE FROM memories_cold WHERE memory_id {_LISTED} AND archived_reason = 'superseded'",
)
#: The pieces of a text, in order.
PIECES = """
SELECT id FROM memories WHERE source_type = 'chunk' AND source_id = ? AND agent_id = ? AND visibility = ?
 ORDER BY ordinal, seq"""
#: Everything derived from these memories, directly or not, with a visibility.
FAMILY = f"""
WITH RECURSIVE family (id) AS (
  SELECT memory_id FROM memory_sources WHERE kind = 'memory' AND source_id IN {list_of("?1")}
  UNION SELECT s.memory_id FROM family f JOIN memory_sources s ON s.kind = 'memory' AND s.source_id = f.id)
SELECT m.id FROM family f JOIN memories m ON m.id = f.id WHERE m.visibility = ?2 ORDER BY m.seq"""
OF_AGENT = """
SELECT id FROM memories WHERE agent_id = ?1 AND (?2 OR (visibility IN ('global', 'private') AND is_deleted = 0))
 ORDER BY seq LIMIT ?3"""
# A text that is archived already is a duplicate, which the index of contents refuses.
ARCHIVE = "UPDATE OR IGNORE memories SET visibility = 'archived' WHERE id = ?"
# The hints make the planner use the partial indexes of the compared times.
_TOMBSTONES = f"SELECT id FROM memories {by_index('idx_memories_deleted_at')} WHERE is_deleted = 1"
#: A tombstone without a time (in some older files) counts from its last change.
EXPIRED = f"""
SELECT id FROM ({_TOMBSTONES} AND deleted_at IS NULL AND updated_at < ?1 ORDER BY seq LIMIT ?2)
UNION ALL
SELECT id FROM ({_TOMBSTONES} AND deleted_at < ?1 ORDER BY deleted_at, seq LIMIT ?2)
LIMIT ?2
"""


def delete_memories(tx: WriteTx, memory_ids: Sequence[str]) -> int:
    """Delete memories with the dependent rows of this noun; return the number of memories."""
    listed = (as_list(memory_ids),)
    for statement in _COMPANIONS:
        tx.run(statement, listed)
    return tx.run(_DELETE, listed)
