"""SQL of recall: every statement has a limit or a list of row numbers, and uses an index.

`where` is always the condition of `view.py` on the table under the name `m`; row numbers are passed as JSON.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from signet.db import ReadTx, Row
from signet.db.dialect import (
    LIST,
    NO_INDEX,
    THEN_JOIN,
    at_most,
    list_of,
    list_rows,
    newest_number,
    sql,
)
from signet.db.vector_cache import VectorStatements
from signet.db.visibility import EVERYWHERE, Reader, Where, readable
from signet.domain.injections.models import Ranked
from signet.domain.recall import answer_type
from signet.domain.recall.models import FoundBy, Hit, ResultPart, Why

if TYPE_CHECKING:
    from signet.db.binary_index import Numbers

#: Rows per batch where whole tables may pass, to limit memory.
_BATCH = 1024

#: Rows of columns per batch: 36,000 take 0.35 s and 19 MB in batches of 4,096, and 0.22 s and 12 MB in these.
_PART = 512

#: FTS5 ranks and sorts the matches; the filter is applied to the best afterwards.
KEYWORD_BEST = (
    f"SELECT rowid, rank FROM memories_fts WHERE memories_fts MATCH ? ORDER BY rank {at_most()}"
)
#: One text of many numbers costs a tenth of as many rows.
_HOLDING_ROWS = sql(
    "SELECT group_concat(rowid) FROM memories_fts WHERE memories_fts MATCH ?",
    postgres="SELECT words_rows('memories_fts', ?)",
)
_RANKS = sql(
    f"SELECT rowid, rank, 1 FROM memories_fts WHERE memories_fts MATCH ?1 {at_most('?2')}",
    postgres="SELECT rowid, rank, is_weighed FROM words_ranks('memories_fts', ?1, ?2, NULL)",
)
#: The plus keeps FTS5 from running the query once for each row number; the border, from reading older rows.
_RANKS_OF = sql(
    f"""SELECT rowid, rank, 1 FROM memories_fts
WHERE memories_fts MATCH ?1 AND rowid >= ?2 AND +rowid IN {list_of("?3")}""",
    postgres="SELECT rowid, rank, is_weighed FROM words_ranks('memories_fts', ?1, NULL, ?3)",
)
#: Most matching rows inspected: the count is for people, and must end in a large store.
MOST_HOLDERS = 20_000
_HOLDERS = f"""
SELECT count(*) FROM (SELECT rowid AS seq FROM memories_fts WHERE memories_fts MATCH ? LIMIT {MOST_HOLDERS}) f
{THEN_JOIN} memories m ON m.seq = f.seq WHERE {{where}}
"""
#: Searching an empty index costs ten times as much; without a model there are no hints.
_ANY_HINT = "SELECT 1 FROM memory_hints LIMIT 1"
_HINTS = f"""
SELECT m.seq, f.rank FROM memory_hints_fts f {THEN_JOIN} memory_hints t ON t.seq = f.rowid
{THEN_JOIN} memories m ON m.id = t.memory_id
WHERE memory_hints_fts MATCH ? AND t.agent_id = ? AND {{where}} ORDER BY f.rank {at_most()}
"""
_OWNERS = f"""
SELECT e.id, m.seq FROM {list_rows()} j {THEN_JOIN} embeddings e ON e.id = j.value
{THEN_JOIN} memories m ON m.id = e.source_id
WHERE e.source_type = 'memory' AND (? IS NULL OR e.model IS NULL OR e.model = ?) AND {{where}}
"""
_VECTORS = f"""
SELECT m.seq, e.vector FROM memories m
{THEN_JOIN} embeddings e ON e.source_type = 'memory' AND e.source_id = m.id
WHERE {{where}} AND e.dimensions = ? AND length(e.vector) = 4 * e.dimensions
  AND (? IS NULL OR e.model IS NULL OR e.model = ?)
"""
#: The highest number ever given to a vector; numbers are not reused.
_NEWEST_VECTOR = newest_number("embeddings", "seq")
_NEWEST_WIDTH = """
SELECT dimensions FROM embeddings WHERE +source_type = 'memory' AND (? IS NULL OR model IS NULL OR model = ?)
ORDER BY seq DESC LIMIT 1
"""
_VECTOR_ID = "SELECT id FROM embeddings WHERE seq = ?"
#: The plus prevents SQLite from using the index of sources, whose rows it would have to sort.
_VECTORS_AFTER = f"""
SELECT e.seq, m.seq, e.vector FROM embeddings e {THEN_JOIN} memories m ON m.id = e.source_id
WHERE e.seq > ? AND +e.source_type = 'memory' AND e.dimensions = ? AND length(e.vector) = 4 * e.dimensions
  AND (? IS NULL OR e.model IS NULL OR e.model = ?) ORDER BY e.seq {at_most()}
"""
#: One text and one blob cost half of as many rows. (group_concat passes a blob unchanged.)
_VECTORS_OF = f"""
SELECT group_concat(seq), CAST(group_concat(vector, x'') AS BLOB)
FROM embeddings WHERE seq IN {LIST}
"""
#: The statements for `db/vector_cache.py`.
VECTORS = VectorStatements(
    newest=_NEWEST_VECTOR,
    newest_width=_NEWEST_WIDTH,
    mark=_VECTOR_ID,
    after=_VECTORS_AFTER,
    stored=_VECTORS_OF,
)
#: The columns for ranking, in the order of `columns.HASHED` and `columns.PLAIN`; then the memory's own source, its
#: place (for a fact, the source of the memory it was extracted from), and its ID. Times are compared as bytes.
_RANKED = f"""
SELECT m.seq, m.agent_id, m.visibility, m.scope, m.project, m.type, m.who,
  CAST(m.importance AS REAL), m.pinned IS 1, m.is_deleted IS 0, CAST(coalesce(m.deleted_at, '') AS BLOB),
  CAST(m.created_at AS BLOB), CAST(coalesce(m.event_at, m.created_at) AS BLOB), m.superseded_by IS NOT NULL,
  length(m.content) <= {{most_chars}} AND substr(rtrim(m.content, {{closing}}), -1) IN ({{marks}}), length(m.content),
  coalesce(m.ordinal, -1), coalesce(p.seq, 0), {{everywhere}} IS 1, coalesce(m.source_type, '') || ' ' || m.source_id,
  CASE WHEN p.id IS NULL THEN coalesce(m.source_type, '') || ' ' || m.source_id
    ELSE coalesce(p.source_type, '') || ' ' || p.source_id END, m.id
FROM memories m {NO_INDEX} LEFT JOIN memories p ON m.source_type = 'pipeline-v2' AND p.id = m.source_id
""".format(
    everywhere=EVERYWHERE.format(m="m"),
    most_chars=answer_type.QUESTION_MAX_CHARS,
    closing="'" + answer_type.CLOSING.replace("'", "''") + "'",
    marks=", ".join(f"'{mark}'" for mark in answer_type.QUESTION_MARKS),
)
_RANKED_OF = f"{_RANKED} WHERE m.seq IN {LIST}"
_RANKED_AFTER = f"{_RANKED} WHERE m.seq > ? ORDER BY m.seq {at_most()}"
_NEWEST_CHANGE = "SELECT number, token FROM memory_changes ORDER BY number DESC LIMIT 1"
_CHANGES = f"SELECT number, seq, is_text, token FROM memory_changes WHERE number >= ? ORDER BY number {at_most()}"
_WHEREABOUTS = "SELECT m.seq, m.is_deleted FROM memories m WHERE m.id = ?"
_HOLDS = "SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? AND rowid = ?"
_IDS = f"SELECT seq, id FROM memories WHERE seq IN {LIST}"
_MEMBERS = "SELECT id FROM agents WHERE policy_group = ?"
_PASSING = "SELECT m.seq FROM memories m WHERE {where}"
_SEQS = f"""
SELECT i.id, i.seq FROM {list_rows()} j {THEN_JOIN} memories i ON i.id = j.value
{THEN_JOIN} memories m {NO_INDEX} ON m.seq = i.seq WHERE {{where}}
"""
#: Beginnings of texts; long sessions are not read whole.
_CONTENTS = f"SELECT seq, substr(content, 1, 1000) FROM memories WHERE seq IN {LIST}"
#: The neighbours of a memory precede or follow it in its source, by ordinal, else by the order of saving. Memories of
#: one project with the same instant were saved as one piece (for instance by an import). (The plus signs keep SQLite on
#: the indexes of source and instant.)
_LIVE = "+x.is_deleted = 0 AND +x.scope IS c.scope AND +x.agent_id IS c.agent_id"
_SOURCE = f"x.source_id = c.source_id AND x.source_type IS c.source_type AND {_LIVE}"
_PLACE = """
(SELECT x.seq FROM memories x WHERE {source} AND c.ordinal IS NOT NULL AND x.ordinal {side} c.ordinal
 ORDER BY x.ordinal {order} LIMIT 1),
(SELECT x.seq FROM memories x WHERE {source} AND c.ordinal IS NULL AND x.ordinal IS NULL
   AND x.seq {side} c.seq ORDER BY x.seq {order} LIMIT 1),
(SELECT x.seq FROM memories x WHERE {live} AND x.created_at = c.created_at AND x.project = c.project
   AND +x.source_type IS NOT 'pipeline-v2' AND x.seq {side} c.seq ORDER BY x.seq {order} LIMIT 1)
"""
_BEFORE = _PLACE.format(source=_SOURCE, live=_LIVE, side="<", order="DESC")
_AFTER = _PLACE.format(source=_SOURCE, live=_LIVE, side=">", order="ASC")
_BESIDE = f"""
SELECT m.seq, coalesce({_BEFORE}), coalesce({_AFTER})
FROM memories m JOIN memories c
  ON c.seq = CASE m.source_type WHEN 'pipeline-v2'
    THEN coalesce((SELECT o.seq FROM memories o WHERE o.id = m.source_id), m.seq) ELSE m.seq END
WHERE m.seq IN {LIST}
"""
_ROWS = f"""
SELECT m.seq, m.id, m.content, m.type, m.tags, m.pinned, m.importance, m.who, m.project, m.created_at,
  m.source_type, m.source_id, m.access_count, m.last_accessed, m.event_at, m.valid_from,
  coalesce(m.origin, 'agent') AS origin, m.review, m.agent_id, m.visibility
FROM memories m {NO_INDEX} WHERE m.seq IN {LIST} AND {{where}}
"""
#: A fact has the origin of the memory it was extracted from. A text in pieces has its group as source: its own source
#: is that of memories saved at the same instant.
_ORIGINS = f"""
SELECT m.seq, nullif(c.seq, m.seq), iif(c.source_type = 'chunk', c.source_id, NULL),
  iif(c.source_id IS NULL OR c.source_type = 'chunk', c.project || ' ' || c.created_at,
    coalesce(c.source_type, '') || ' ' || c.source_id), length(m.content)
FROM memories m {NO_INDEX} JOIN memories c
  ON c.seq = CASE m.source_type WHEN 'pipeline-v2'
    THEN coalesce((SELECT o.seq FROM memories o WHERE o.id = m.source_id), m.seq) ELSE m.seq END
WHERE m.seq IN {LIST}
"""
_PIECES = f"""
SELECT j.value, sum(length(m.content)) FROM {list_rows()} j
{THEN_JOIN} memories m ON m.source_type = 'chunk' AND m.source_id = j.value AND m.is_deleted = 0
GROUP BY j.value
"""


class TextSource(NamedTuple):
    """The origin of a memory: the memory it was extracted from, the text of which it is a piece, and its source."""

    read_from: int | None
    text: str | None
    source: str | None
    chars: int


def ranks(tx: ReadTx, match: str, most: int) -> list[tuple[int, float, int]]:
    """Return up to `most` matching rows of any agent, ascending, their bm25, and whether it contains the weight."""
    return tx.tuples(_RANKS, (match, most))


def ranks_of(tx: ReadTx, match: str, seqs: Collection[int]) -> list[tuple[int, float, int]]:
    """Return the given rows that match as `ranks` does."""
    return tx.tuples(_RANKS_OF, (match, min(seqs), _numbered(seqs))) if seqs else []


def holding_rows(tx: ReadTx, match: str) -> "Numbers":
    """Return every matching row of any agent, ascending."""
    return _numbers(tx.value(_HOLDING_ROWS, (match,)))


def holders(tx: ReadTx, match: str, where: Where) -> int:
    """Count the rows that match and pass the condition, among the first `MOST_HOLDERS` matches."""
    return int(tx.value(_HOLDERS.format(where=where.sql), (match, *where.params)))


def ids(tx: ReadTx, seqs: Collection[int]) -> dict[int, str]:
    """Return the ids of memories."""
    return dict(tx.tuples(_IDS, (_numbered(seqs),)))


def newest_change(tx: ReadTx) -> tuple[int, int]:
    """Return number and token of the newest change of a memory; zeros without any."""
    row = tx.one(_NEWEST_CHANGE)
    return (0, 0) if row is None else (row[0], row[1])


def changes_from(tx: ReadTx, number: int, most: int) -> list[tuple[int, int, int, int]]:
    """Return (number, memory, whether the text changed, token) of up to `most` changes from a number on."""
    return tx.tuples(_CHANGES, (number, most))


def ranked(tx: ReadTx, seqs: Collection[int]) -> list[tuple[Any, ...]]:
    """Return the ranking columns of some memories."""
    return tx.tuples(_RANKED_OF, (_numbered(seqs),)) if seqs else []


def ranked_after(tx: ReadTx, seq: int) -> list[tuple[Any, ...]]:
    """Return the ranking columns of memories after a row number, ascending, one batch."""
    return tx.tuples(_RANKED_AFTER, (seq, _PART))


def members(tx: ReadTx, group: str) -> list[str]:
    """Return the agents of a group."""
    return [row[0] for row in tx.all(_MEMBERS, (group,))]


def hints(tx: ReadTx, match: str, agent_id: str, where: Where, limit: int) -> dict[int, float]:
    """Return the memories of the `limit` best hints that match, with the best bm25."""
    if tx.value(_ANY_HINT) is None:
        return {}
    rows = tx.all(_HINTS.format(where=where.sql), (match, agent_id, *where.params, limit))
    best: dict[int, float] = {}
    for seq, rank in rows:
        best.setdefault(seq, rank)
    return best


def owners(
    tx: ReadTx, embedding_ids: Sequence[str], model: str | None, where: Where
) -> dict[str, int]:
    """Return the memories of these vectors that pass."""
    params = (_json(embedding_ids), model, model, *where.params)
    return {row[0]: row[1] for row in tx.all(_OWNERS.format(where=where.sql), params)}


def vectors(tx: ReadTx, dimensions: int, model: str | None, where: Where) -> Iterator[list[Row]]:
    """Yield (seq, vector) of all memories that pass, in batches."""
    params = (*where.params, dimensions, model, model)
    cursor = tx.connection.execute(_VECTORS.format(where=where.sql), params)
    while rows := cursor.fetchmany(_BATCH):
        yield rows


def passing(tx: ReadTx, where: Where) -> list[int]:
    """Return every memory that passes."""
    return [row[0] for row in tx.tuples(_PASSING.format(where=where.sql), where.params)]


def among(seqs: Collection[int]) -> Where:
    """Return the condition that a memory is one of these."""
    return Where(f"m.seq IN {LIST}", (_numbered(seqs),))


class Whereabouts(NamedTuple):
    """A memory that a reader may see, and whether it is forgotten."""

    seq: int
    is_deleted: int


def whereabouts(tx: ReadTx, memory_id: str, reader: Reader) -> Whereabouts | None:
    """Return a memory by ID, even if forgotten, of any scope; None if the reader may not see it."""
    seen = readable(replace(reader, any_scope=True))
    return tx.row(Whereabouts, f"{_WHEREABOUTS} AND {seen.sql}", (memory_id, *seen.params))


def holds(tx: ReadTx, seq: int, expression: str) -> bool:
    """Return whether a memory matches an FTS5 expression."""
    return tx.value(_HOLDS, (expression, seq)) is not None


def seqs(tx: ReadTx, memory_ids: Iterable[str], where: Where) -> dict[str, int]:
    """Return the row numbers of the memories that pass, by ID, in the given order."""
    found = tx.all(_SEQS.format(where=where.sql), (_json(memory_ids), *where.params))
    return {row[0]: row[1] for row in found}


def contents(tx: ReadTx, seqs: Collection[int]) -> dict[int, str]:
    """Return the beginnings of the memories' texts."""
    return {row[0]: row[1] for row in tx.all(_CONTENTS, (_numbered(seqs),))}


def beside(tx: ReadTx, seqs: Collection[int]) -> list[tuple[int, int | None, int | None]]:
    """Return (memory, previous memory, next memory) within its source; a fact has its source's."""
    return tx.tuples(_BESIDE, (_numbered(seqs),))


def origins(tx: ReadTx, seqs: Collection[int]) -> dict[int, TextSource]:
    """Return the origin of each memory."""
    return {row[0]: TextSource._make(row[1:]) for row in tx.tuples(_ORIGINS, (_numbered(seqs),))}


def lengths(tx: ReadTx, texts: Collection[str]) -> dict[str, int]:
    """Return the total length of each text's pieces in characters."""
    return dict(tx.tuples(_PIECES, (_json(texts),))) if texts else {}


def rows(tx: ReadTx, seqs: Collection[int], where: Where) -> dict[int, Row]:
    """Return the complete rows of the results that pass."""
    found = tx.all(_ROWS.format(where=where.sql), (_numbered(seqs), *where.params))
    return {row[0]: row for row in found}


def hit(
    row: Row,
    *,
    score: float,
    source: FoundBy,
    supplementary: bool = False,
    parts: tuple[ResultPart, ...] = (),
    why: Why | None = None,
    ranked: Ranked | None = None,
) -> Hit:
    """Convert a row of `rows` to a result."""
    return Hit(
        id=row["id"],
        content=row["content"],
        score=score,
        source=source,
        type=row["type"],
        tags=_tags(row["tags"]),
        pinned=bool(row["pinned"]),
        importance=row["importance"] if row["importance"] is not None else 0.5,
        who=row["who"],
        project=row["project"],
        agent_id=row["agent_id"],
        visibility=row["visibility"],
        created_at=row["created_at"],
        source_type=row["source_type"],
        source_id=row["source_id"],
        access_count=row["access_count"] or 0,
        last_accessed=row["last_accessed"],
        supplementary=supplementary,
        event_at=row["event_at"],
        valid_from=row["valid_from"],
        origin=row["origin"],
        review=row["review"],
        parts=parts,
        why=why,
        ranked=ranked,
    )


def _tags(stored: str | None) -> str | None:
    """Return tags as a comma-separated list; they are stored as a JSON array, in older files as that list."""
    if stored is None or not stored.startswith("["):
        return stored or None
    try:
        return ",".join(str(tag) for tag in json.loads(stored)) or None
    except ValueError:
        return stored


def _numbers(text: str | None) -> "Numbers":
    import numpy as np

    return np.fromstring(text or "", dtype=np.int64, sep=",")


def _numbered(seqs: Collection[int]) -> str:
    """Return numbers as JSON; Python's list notation is the same."""
    return str(list(seqs))


def _json(values: Iterable[str]) -> str:
    return json.dumps(list(values))
