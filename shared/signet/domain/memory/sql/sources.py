"""The statements of `memory_sources` and `memory_withdrawals`: what memories were read from, and what went with it."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, THEN_JOIN, as_list, by_index, list_of, list_rows


class SourceKind(StrEnum):
    """What a derived memory stands on; `person` is somebody's own word for it."""

    MEMORY = "memory"
    SESSION = "session"
    PERSON = "person"


class WithdrawReason(StrEnum):
    """Why a derived memory was hidden: its source was, or has another text now."""

    FORGOTTEN = "forgotten"
    CHANGED = "changed"


class Dependent(NamedTuple):
    """A derived memory and what keeps it; `has_other` is another source that is still there."""

    id: str
    content: str
    is_pinned: int
    is_owned: int
    has_other: int


class Like(NamedTuple):
    """A fact of a session, and what it says."""

    id: str
    content: str


class InDocument(NamedTuple):
    """A piece of a document, and which one."""

    content: str
    document: str


#: A further source is only of use to what is derived, and nothing may stand on itself, over however many.
_ADD = """
INSERT INTO memory_sources (memory_id, kind, source_id)
SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM memory_sources WHERE memory_id = ?1)
   AND NOT (?2 = 'memory' AND ?1 IN (
     WITH RECURSIVE above (id) AS (
       SELECT ?3
       UNION SELECT s.source_id FROM above a JOIN memory_sources s ON s.memory_id = a.id AND s.kind = 'memory')
     SELECT id FROM above))
ON CONFLICT DO NOTHING"""
_ABOVE = "SELECT source_id FROM memory_sources WHERE memory_id = ? AND kind = 'memory' LIMIT ?"
_BELOW = "SELECT memory_id FROM memory_sources WHERE kind = 'memory' AND source_id = ? ORDER BY memory_id DESC LIMIT ?"
_IS_DERIVED = "SELECT 1 FROM memory_sources WHERE memory_id = ? LIMIT 1"
_LOSE = f"DELETE FROM memory_sources WHERE kind = 'memory' AND source_id = ?1 AND memory_id IN {list_of('?2')}"
_MOVE = f"""
INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
SELECT memory_id, kind, ?2 FROM memory_sources
 WHERE kind = 'memory' AND source_id IN {list_of("?1")} AND memory_id <> ?2"""
#: A session that nobody has forgotten.
_IS_KEPT = """
NOT EXISTS (SELECT 1 FROM forgotten_sessions g WHERE g.agent_id = m.agent_id AND g.session_key = o.source_id)"""
#: What stands on a session, and the summaries that its harness made of it.
_OF_SESSION = f"""
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
#: What stands on memories that are gone (`?1`), and `?2`; one that is gone itself is left out.
_DEPENDENTS = f"""
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
#: Facts of sessions, and the summaries that harnesses made of them, that may say what a memory does.
_LIKE = f"""
SELECT m.id, m.content FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
 WHERE memories_fts MATCH ? AND m.agent_id = ? AND m.is_deleted = 0
   AND (m.source_type = 'session_end' OR (m.type = 'session_summary' AND m.origin = 'inferred'))
   AND m.id NOT IN {LIST} ORDER BY f.rank LIMIT 50"""
_DOCUMENT = "'document:' || o.id || coalesce(' ' || coalesce(o.title, o.source_url), '')"
#: Pieces of documents that may say what a memory does, each with a document that it stands in.
_IN_DOCUMENTS = f"""
SELECT m.content, {_DOCUMENT} AS document
  FROM memories_fts f {THEN_JOIN} memories m ON m.seq = f.rowid
  JOIN document_memories d ON d.memory_id = m.id JOIN documents o ON o.id = d.document_id AND o.status <> 'deleted'
 WHERE memories_fts MATCH ? AND m.agent_id = ? AND m.is_deleted = 0 AND m.type = 'document_chunk'
   AND m.id NOT IN {LIST} ORDER BY f.rank LIMIT 50"""
#: The documents of which a memory is itself a piece.
_HOLDERS = f"""
SELECT {_DOCUMENT} FROM document_memories d JOIN documents o ON o.id = d.document_id AND o.status <> 'deleted'
 WHERE d.memory_id = ? ORDER BY o.created_at"""
#: Facts of sessions and summaries of harnesses, hidden ones too, and hidden pieces of documents.
SAID_ELSEWHERE = """
SELECT seq, agent_id, content FROM memories
 WHERE seq > ? AND (source_type = 'session_end' OR (type = 'session_summary' AND origin = 'inferred')
    OR (type = 'document_chunk' AND is_deleted = 1))
 ORDER BY seq LIMIT ?"""
ID_OF = "SELECT id FROM memories WHERE seq = ? AND content = ?"
_WITHDRAW = """
INSERT OR REPLACE INTO memory_withdrawals (memory_id, root_id, why, created_at) VALUES (?, ?, ?, ?)"""
_RELEASE = f"DELETE FROM memory_withdrawals WHERE memory_id IN {LIST}"
_IS_WITHDRAWN = "SELECT 1 FROM memory_withdrawals WHERE memory_id = ?"
#: What went with a memory, and what went with another source but is said by this one as well.
_WITHDRAWN = f"""
SELECT w.memory_id FROM memory_withdrawals w JOIN memories m ON m.id = w.memory_id AND m.is_deleted = 1
 WHERE w.why = 'forgotten' AND (w.root_id IN {list_of("?1")} OR EXISTS (
       SELECT 1 FROM memory_sources s WHERE s.memory_id = w.memory_id AND s.kind = 'memory'
          AND s.source_id IN {list_of("?1")})) ORDER BY m.seq"""
_RETIRED = f"""
SELECT w.memory_id
  FROM memory_withdrawals w {THEN_JOIN} memories m ON m.id = w.memory_id AND m.is_deleted = 1
 WHERE w.root_id = ? AND w.why = 'changed' AND m.content_hash = ? LIMIT 1"""


def add(tx: WriteTx, memory_id: str, kind: SourceKind, source_id: str) -> None:
    """Give a derived memory a further source; one that stands for itself, and the source of its source, get none."""
    tx.run(_ADD, (memory_id, kind, source_id))


def above(tx: ReadTx, memory_id: str, *, limit: int) -> list[str]:
    """Return the memories that one was read from."""
    return tx.column(_ABOVE, (memory_id, limit))


def below(tx: ReadTx, memory_id: str, *, limit: int) -> list[str]:
    """Return the memories that were read from one, newest first."""
    return tx.column(_BELOW, (memory_id, limit))


def is_derived(tx: ReadTx, memory_id: str) -> bool:
    """Return whether a memory was read from something else."""
    return tx.value(_IS_DERIVED, (memory_id,)) is not None


def lose(tx: WriteTx, source_id: str, memory_ids: Iterable[str]) -> None:
    """Take a source from memories that it does not say any more."""
    tx.run(_LOSE, (source_id, as_list(memory_ids)))


def move(tx: WriteTx, source_ids: Sequence[str], keeper_id: str) -> None:
    """Let what was read from some memories have been read from another one as well."""
    tx.run(_MOVE, (as_list(source_ids), keeper_id))


def dependents(tx: ReadTx, gone: Iterable[str], *, said: Iterable[str] = ()) -> list[Dependent]:
    """Return the active memories that stand on these, oldest first.

    `said` are facts of sessions that say what goes: no session keeps them.
    """
    return tx.rows(Dependent, _DEPENDENTS, (as_list(gone), as_list(said)))


def of_session(tx: ReadTx, agent_id: str, key: str) -> list[Dependent]:
    """Return the active memories of an agent that stand on a session, oldest first."""
    return tx.rows(Dependent, _OF_SESSION, (agent_id, key))


def like(tx: ReadTx, memory_ids: Iterable[str], agent_id: str, match: str) -> list[Like]:
    """Return the facts of an agent's sessions that share most words with a full-text expression."""
    return tx.rows(Like, _LIKE, (match, agent_id, as_list(memory_ids)))


def in_documents(
    tx: ReadTx, memory_ids: Iterable[str], agent_id: str, match: str
) -> list[InDocument]:
    """Return the pieces of an agent's documents that share most words with a full-text expression."""
    return tx.rows(InDocument, _IN_DOCUMENTS, (match, agent_id, as_list(memory_ids)))


def holders(tx: ReadTx, memory_id: str) -> list[str]:
    """Return the documents of which a memory is itself a piece: one that says it and nothing else has no other."""
    return tx.column(_HOLDERS, (memory_id,))


def withdraw(
    tx: WriteTx, memory_ids: Iterable[str], root_id: str, why: WithdrawReason, *, at: datetime
) -> None:
    """Note that memories were hidden because of another one."""
    stamp = clock.to_text(at)
    tx.many(_WITHDRAW, [(memory_id, root_id, why, stamp) for memory_id in memory_ids])


def release(tx: WriteTx, memory_ids: Iterable[str]) -> None:
    """Let memories be hidden or seen by themselves."""
    tx.run(_RELEASE, (as_list(memory_ids),))


def is_withdrawn(tx: ReadTx, memory_id: str) -> bool:
    """Return whether a memory was hidden because of another one."""
    return tx.value(_IS_WITHDRAWN, (memory_id,)) is not None


def withdrawn(tx: ReadTx, root_ids: Iterable[str]) -> list[str]:
    """Return what was hidden with these memories, or is said by them, oldest first."""
    return [row[0] for row in tx.tuples(_WITHDRAWN, (as_list(root_ids),))]


def retired(tx: ReadTx, source_id: str, content_hash: str) -> str | None:
    """Return the fact of this text that was hidden when its source got another text."""
    found: str | None = tx.value(_RETIRED, (source_id, content_hash))
    return found


_FIELDS = "id, content, agent_id, scope, superseded_by, valid_from"
_ONE = f"SELECT {_FIELDS} FROM memories WHERE id = ? AND is_deleted = 0"
_OLD = f"""
SELECT {", ".join(f"m.{name}" for name in _FIELDS.split(", "))}
  FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
WHERE m.is_deleted = 0 ORDER BY j.key
"""
#: All that replaced a memory, one after the other; UNION ends a ring that a file from elsewhere may hold.
_CHAIN = """
WITH RECURSIVE chain (id) AS (
  SELECT superseded_by FROM memories WHERE id = ?
  UNION SELECT m.superseded_by FROM chain c JOIN memories m ON m.id = c.id
)
SELECT id FROM chain WHERE id IS NOT NULL
"""
#: The condition that something has replaced a row of `memories`.
REPLACED = """
({alias}.superseded_by IS NOT NULL AND EXISTS (
  WITH RECURSIVE chain (id) AS (
    SELECT {alias}.superseded_by UNION SELECT r.superseded_by FROM chain c JOIN memories r ON r.id = c.id
  )
  SELECT 1 FROM chain c JOIN memories r ON r.id = c.id WHERE r.is_deleted = 0))
"""
_CURRENT = f"""
SELECT m.id FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
 WHERE m.is_deleted = 0 AND NOT {REPLACED.format(alias="m")}"""
_ENDED = "SELECT valid_to FROM memories WHERE id = ? AND superseded_by IS NOT NULL"
_LINK = "UPDATE memories SET superseded_by = ?, valid_to = ?, updated_at = ?, updated_by = ? WHERE id = ?"
_BEGIN = "UPDATE memories SET valid_from = ?1 WHERE id = ?2 AND valid_from IS NOT ?1"
_REPOINT = f"UPDATE memories SET superseded_by = ? WHERE superseded_by IN {LIST}"


class Link(NamedTuple):
    """What replaces a memory, and what must agree with that."""

    id: str
    content: str
    agent_id: str
    scope: str | None
    superseded_by: str | None
    valid_from: str | None


class Ended(NamedTuple):
    """Until when a memory that was replaced was valid."""

    valid_to: str | None


def link_of(tx: ReadTx, memory_id: str) -> Link | None:
    """Return the link of an active memory, None when there is none."""
    return tx.row(Link, _ONE, (memory_id,))


def links_of(tx: ReadTx, memory_ids: Sequence[str]) -> list[Link]:
    """Return the links of those of the memories that are active, in this order."""
    return tx.rows(Link, _OLD, (as_list(memory_ids),))


def chain(tx: ReadTx, memory_id: str) -> list[str]:
    """Return all that replaced a memory, one after the other."""
    return [row[0] for row in tx.tuples(_CHAIN, (memory_id,))]


def current(tx: ReadTx, memory_ids: Sequence[str]) -> list[str]:
    """Return which of the memories are active, and replaced by nothing."""
    return [row[0] for row in tx.tuples(_CURRENT, (as_list(memory_ids),))]


def ended(tx: ReadTx, memory_id: str) -> Ended | None:
    """Return when a memory was replaced, None when it was not."""
    return tx.row(Ended, _ENDED, (memory_id,))


def set_link(
    tx: WriteTx, memory_id: str, by: str | None, until: str | None, *, at: datetime, actor: str
) -> None:
    """Store what replaces a memory, and from when on."""
    tx.run(_LINK, (by, until, clock.to_text(at), actor, memory_id))


def set_begin(tx: WriteTx, memory_id: str, begins: str) -> None:
    """Store from when on a memory is valid."""
    tx.run(_BEGIN, (begins, memory_id))


def repoint(tx: WriteTx, memory_ids: Sequence[str], keeper_id: str) -> None:
    """Let what these memories had replaced be replaced by another."""
    tx.run(_REPOINT, (keeper_id, as_list(memory_ids)))


_LISTED = f"IN {list_of('?1')}"
_DELETE = f"DELETE FROM memories WHERE id {_LISTED}"
#: What follows in the tables of this noun. What replaced a memory that goes replaces what that had replaced.
_COMPANIONS = (
    f"""UPDATE memories SET superseded_by = (
      WITH RECURSIVE chain (id) AS (
        SELECT memories.superseded_by
        UNION SELECT gone.superseded_by FROM chain c JOIN memories gone ON gone.id = c.id WHERE c.id {_LISTED})
      SELECT c.id FROM chain c WHERE c.id NOT {_LISTED}) WHERE superseded_by {_LISTED}""",
    f"DELETE FROM memory_hints WHERE memory_id {_LISTED}",
    f"DELETE FROM memories_cold WHERE memory_id {_LISTED} AND archived_reason = 'superseded'",
)
_OF_AGENT = """
SELECT id FROM memories WHERE agent_id = ?1 AND (?2 OR (visibility IS NOT 'archived' AND is_deleted = 0))
 ORDER BY seq LIMIT ?3"""
# A text that is archived already is a repetition, which the index of contents refuses.
_ARCHIVE = "UPDATE OR IGNORE memories SET visibility = 'archived' WHERE id = ?"
# The hints keep the planner on the partial indexes of the times that are compared.
_TOMBSTONES = f"SELECT id FROM memories {by_index('idx_memories_deleted_at')} WHERE is_deleted = 1"
#: A tombstone without a time (older files have some) is as old as its last change.
_EXPIRED = f"""
SELECT id FROM ({_TOMBSTONES} AND deleted_at IS NULL AND updated_at < ?1 ORDER BY seq LIMIT ?2)
UNION ALL
SELECT id FROM ({_TOMBSTONES} AND deleted_at < ?1 ORDER BY deleted_at, seq LIMIT ?2)
LIMIT ?2
"""


def delete_memories(tx: WriteTx, memory_ids: Sequence[str]) -> int:
    """Delete memories with the rows of this noun that only make sense with them; return how many memories went."""
    listed = (as_list(memory_ids),)
    for statement in _COMPANIONS:
        tx.run(statement, listed)
    return tx.run(_DELETE, listed)


def ids_of_agent(tx: ReadTx, agent_id: str, limit: int, *, with_hidden: bool) -> list[str]:
    """Return the oldest memories of an agent; forgotten and archived ones only `with_hidden`."""
    return [row[0] for row in tx.tuples(_OF_AGENT, (agent_id, with_hidden, limit))]


def archive(tx: WriteTx, memory_id: str) -> bool:
    """Take a memory out of every reader's sight; False when its text is archived already."""
    return tx.run(_ARCHIVE, (memory_id,)) == 1


def expired(tx: ReadTx, before: str, limit: int) -> list[str]:
    """Return ids of the oldest memories that were forgotten before this; the same ones until they are deleted."""
    return [row[0] for row in tx.tuples(_EXPIRED, (before, limit))]
