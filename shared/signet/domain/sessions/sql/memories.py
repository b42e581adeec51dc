"""Memories for session starts, rules and compaction; reads `memories` only."""

from collections.abc import Iterable
from typing import NamedTuple

from signet.db import ReadTx, visibility
from signet.db.dialect import THEN_JOIN, as_list, by_index, list_rows
from signet.db.visibility import Reader, Where
from signet.domain.episodes import fence
from signet.domain.graph.traversal import WHOLE_CHARS
from signet.domain.memory.modify import is_current
from signet.domain.sessions import prompt_text
from signet.wire.origin import Origin, Review

#: Memories counted since the last session; more is "many".
MOST_COUNTED = 1_000


class MemoryRow(NamedTuple):
    """A memory that a session may receive.

    `read_from` is the memory that a fact was extracted from, `kind` the type of its source; `tags` is JSON.
    """

    id: str
    content: str
    type: str
    tags: str | None
    project: str | None
    importance: float | None
    pinned: int
    created_at: str
    last_accessed: str | None
    read_from: str | None
    kind: str
    who: str | None
    origin: str
    review: str | None
    event_at: str | None
    agent_id: str | None
    visibility: str | None


class RuleRow(NamedTuple):
    """A memory that may be a rule; `read_from` is the memory that a fact was extracted from."""

    id: str
    content: str
    type: str
    pinned: int
    created_at: str
    who: str | None
    kind: str
    read_from: str | None
    origin: str
    review: str | None
    project: str | None
    agent_id: str | None
    visibility: str | None
    vector: bytes | None


_READ_FROM = "CASE m.source_type WHEN 'pipeline-v2' THEN m.source_id END AS read_from"
_COLUMNS = (
    "m.id, m.content, m.type, m.tags, m.project, m.importance, m.pinned, m.created_at, m.last_accessed,"
    f" {_READ_FROM}, coalesce(m.source_type, '') AS kind, m.who, coalesce(m.origin, 'agent') AS origin, m.review,"
    " m.event_at, m.agent_id, m.visibility"
)
ALIVE = (
    Where("m.is_deleted = 0 AND m.review IS NOT 'waiting' AND m.type <> 'document_chunk'")
    & is_current()
)
NEWEST = f"""
SELECT {_COLUMNS} FROM memories m {by_index("idx_memories_created")}
 WHERE {{where}} ORDER BY m.created_at DESC LIMIT ?"""
PINNED = f"""
SELECT {_COLUMNS} FROM memories m {by_index("idx_memories_pinned")}
 WHERE m.pinned = 1 AND {{where}} ORDER BY m.created_at DESC LIMIT ?"""
BY_ID = f"""
SELECT {_COLUMNS} FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value WHERE {{where}}"""
BY_SEQ = f"""
SELECT {_COLUMNS} FROM {list_rows()} j {THEN_JOIN} memories m ON m.seq = j.value WHERE {{where}} ORDER BY j.key"""
#: Stated by the user: in a command or the dashboard, in a session (`summaries/facts.py` gives no rule type to an
#: agent's statement), or in a memory it was extracted from. Imports, agents and programs make no rules.
_BY_THE_USER = """
(m.origin = 'user' OR m.origin = 'inferred' AND (m.source_type = 'session_end'
   OR m.source_type = 'pipeline-v2' AND EXISTS (SELECT 1 FROM memories s WHERE s.id = m.source_id
      AND (s.origin = 'user' OR s.origin = 'inferred' AND s.source_type = 'session_end'))))"""
_RULES = f"""
SELECT m.id, m.content, m.type, m.pinned, m.created_at, m.who, coalesce(m.source_type, '') AS kind,
       {_READ_FROM}, coalesce(m.origin, 'agent') AS origin, m.review, m.project,
       m.agent_id, m.visibility,
       (SELECT e.vector FROM embeddings e
         WHERE e.source_type = 'memory' AND e.source_id = m.id AND e.ordinal = 0) AS vector
  FROM memories m {by_index("idx_memories_rules")}
 WHERE m.type IN ('rule', 'constraint', 'correction', 'preference', 'procedural') AND length(m.content) <= ?
   AND {_BY_THE_USER} AND m.is_deleted = 0 AND {{where}}
 ORDER BY m.pinned DESC, m.created_at DESC LIMIT ?"""
COUNT_SINCE = f"""
SELECT count(*) FROM (SELECT 1 FROM memories m {by_index("idx_memories_created")}
 WHERE m.created_at > ? AND m.is_deleted = 0 AND {{where}} LIMIT {MOST_COUNTED})"""


def rules(tx: ReadTx, reader: Reader, *, chars: int, limit: int) -> list[RuleRow]:
    """Return possible rules of at most `chars` characters for this place, pinned ones first, then the newest."""
    where = is_current() & visibility.readable(reader)
    asked = (chars, *where.params, limit)
    return tx.rows(RuleRow, _RULES.format(where=where.sql), asked)


def alive(tx: ReadTx, statement: str, reader: Reader, limit: int) -> list[MemoryRow]:
    """Return up to `limit` valid memories of a statement that the reader may see."""
    seen = ALIVE & visibility.readable(reader)
    return tx.rows(MemoryRow, statement.format(where=seen.sql), (*seen.params, limit))


def listed(tx: ReadTx, statement: str, reader: Reader, names: str) -> list[MemoryRow]:
    """Return the listed memories (by ID or number) that are valid and that the reader may see."""
    seen = ALIVE & visibility.readable(reader)
    return tx.rows(MemoryRow, statement.format(where=seen.sql), (names, *seen.params))


def in_own_words(
    tx: ReadTx, reader: Reader, ids: Iterable[str | None]
) -> dict[str | None, MemoryRow]:
    """Return, by ID, short memories to show instead of the facts extracted from them, except held-back ones.

    A long memory says more than its fact, so there the fact is shown.
    """
    wanted = dict.fromkeys(filter(None, ids))
    rows = listed(tx, BY_ID, reader, as_list(wanted)) if wanted else []
    return {
        row.id: row for row in rows if len(row.content) <= WHOLE_CHARS and not is_held_back(row)
    }


def is_held_back(row: MemoryRow) -> bool:
    """Return whether a memory must not be shown without a request."""
    review = Review(row.review) if row.review else None
    return prompt_text.is_only_mask(row.content) or fence.is_held(
        Origin(row.origin), review, row.content
    )
