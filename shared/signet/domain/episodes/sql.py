"""SQL of episodes: the table `episode_chunks` with its full-text index, and memories as episodes."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from signet.db import ReadTx, WriteTx, visibility
from signet.db.dialect import LIST, THEN_JOIN, as_list, at_most, list_of, list_rows, newest_number
from signet.db.vector_cache import VectorStatements
from signet.db.vectors import mean
from signet.db.visibility import Reader, Where
from signet.domain.episodes.models import Chunk, FoundRow, Source, SourceType
from signet.domain.memory.modify import is_current

#: Chunks that a search compares by meaning.
CANDIDATES = 60


class StoredRow(NamedTuple):
    """An indexed chunk of a session."""

    position: int
    content: str
    project: str


class LackingRow(NamedTuple):
    """A chunk that lacks a vector."""

    seq: int
    content: str


class ChunkRow(NamedTuple):
    """A chunk of a session."""

    project: str
    position: int
    said_at: str
    content: str


_OF_SOURCE = "agent_id = :agent AND source_type = :type AND source_id = :id AND project = :project"
_OF_SESSION = "agent_id = :agent AND source_type = :type AND source_id = :id"
_STORED = (
    f"SELECT position, content, project FROM episode_chunks WHERE {_OF_SESSION} ORDER BY position"
)
_INSERT = """
INSERT INTO episode_chunks (agent_id, source_type, source_id, project, position, content, said_at)
VALUES (?, ?, ?, ?, ?, ?, ?)"""
#: Of a session, or of all commits of a project.
_LACKING = """
SELECT seq, content FROM episode_chunks
 WHERE agent_id = :agent AND source_type = :type AND (source_id = :id OR (:type = 'commit' AND project = :project))
   AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk = seq AND v.model = :model)
   AND content <> '' ORDER BY seq LIMIT :most"""
#: A chunk's new vector gets a new number: numbers are never reused.
_TAKE = f"DELETE FROM chunk_vectors WHERE chunk IN {LIST}"
_GIVE = """
INSERT INTO chunk_vectors (chunk, model, vector)
SELECT seq, ?, ? FROM episode_chunks WHERE seq = ? AND content = ?"""
_DELETE = f"DELETE FROM episode_chunks WHERE {_OF_SESSION} AND position IN {list_of(':positions')}"
#: A session may get its project after its first words were indexed.
_MOVE = f"UPDATE episode_chunks SET project = :project WHERE {_OF_SESSION} AND position = :position"
#: Without a dead job: such a source is left alone until the job is pruned.
_ALIVE = """NOT EXISTS (
  SELECT 1 FROM memory_jobs j
   WHERE j.dedupe_key = '{0}:' || {1}.agent_id || ':' || {1}.{2} AND j.status = 'dead')"""
_UNINDEXED = f"""
SELECT t.agent_id, t.session_key FROM session_transcripts t
 WHERE t.content <> '' AND {_ALIVE.format("index_session", "t", "session_key")} AND NOT EXISTS (
   SELECT 1 FROM episode_chunks c
    WHERE c.agent_id = t.agent_id AND c.source_type = 'session' AND c.source_id = t.session_key
      AND EXISTS (SELECT 1 FROM session_overviews o
                   WHERE o.agent_id = t.agent_id AND o.session_key = t.session_key AND o.decisions IS NOT NULL))
 ORDER BY t.created_at DESC LIMIT :most"""
_OTHER_MODEL = f"""
SELECT DISTINCT c.agent_id, c.source_id FROM episode_chunks c
 WHERE c.source_type = 'session' AND c.content <> ''
   AND NOT EXISTS (SELECT 1 FROM chunk_vectors v WHERE v.chunk = c.seq AND v.model = :model)
   AND {_ALIVE.format("embed_chunks:session", "c", "source_id")} LIMIT :most"""
_COMMITS = """
SELECT DISTINCT source_id FROM episode_chunks WHERE source_type = 'commit' AND agent_id = ? AND project = ?"""
_REVERTS = """
SELECT content FROM episode_chunks
 WHERE source_type = 'commit' AND agent_id = ? AND project = ? AND content LIKE '%This reverts commit%'"""
_FORGET = f"""
DELETE FROM episode_chunks
 WHERE source_type = 'commit' AND agent_id = ? AND project = ? AND source_id IN {LIST}"""
_MAY = """c.agent_id = :agent AND (:project IS NULL OR c.project = :project)
   AND NOT (c.source_type = 'session' AND c.source_id = :except) AND (:commits OR c.source_type <> 'commit')"""
#: Concatenated vectors, in the order of the exchanges, and their number.
_VECTORS_OF = """
       (SELECT CAST(group_concat(o.vector, x'') AS BLOB)
          FROM (SELECT v.vector FROM chunk_vectors v WHERE v.chunk = c.seq ORDER BY v.number) o) AS vectors,
       (SELECT count(*) FROM chunk_vectors v WHERE v.chunk = c.seq) AS parts"""
_FOUND = f"""
SELECT c.source_type, c.source_id, c.agent_id, c.project, c.position, c.said_at, c.content,
       {_VECTORS_OF}, {{rank}} AS rank, '' AS kind, NULL AS who, NULL AS title,
       'inferred' AS origin, NULL AS review, NULL AS visibility
  FROM {{table}}
 WHERE {_MAY}
   AND (NOT :spoken OR c.source_type = 'commit' OR instr(c.content, 'User') > 0)
 {{order}} LIMIT :most"""
#: Ranking is most of a search's cost, and one request runs several with the same words.
_RANKS = "SELECT rowid, rank FROM episode_chunks_fts WHERE episode_chunks_fts MATCH ?"
_RANKED = _FOUND.format(
    rank="c.seq",
    table=f"{list_rows(':ranked')} j {THEN_JOIN} episode_chunks c ON c.seq = j.value",
    order="",
)
_NEWEST = _FOUND.format(rank="0.0", table="episode_chunks c", order="ORDER BY c.seq DESC")
#: Counts only as far as it matters.
_HOLDERS = """
SELECT count(*) FROM (SELECT 1 FROM episode_chunks_fts WHERE episode_chunks_fts MATCH ? LIMIT 1000)"""
_WITHIN = _FOUND.format(
    rank="0.0",
    table="episode_chunks c",
    order="AND c.said_at >= :since AND c.said_at < :until ORDER BY c.said_at DESC",
)
_MESSAGES = _FOUND.format(
    rank="0.0",
    table="episode_chunks c",
    order="AND c.source_type = 'commit' AND c.position = 0 ORDER BY c.said_at DESC",
)
_BESIDE = _FOUND.format(
    rank="0.0",
    table="episode_chunks c",
    order="""AND c.source_type = :type AND c.source_id = :id AND c.project = :of
   AND c.position BETWEEN :first AND :last ORDER BY c.position""",
)
_COUNT = "SELECT coalesce(max(seq), 0) FROM episode_chunks"
_AROUND = f"""
SELECT position, content FROM episode_chunks
 WHERE {_OF_SOURCE} AND position BETWEEN :first AND :last ORDER BY position"""
_VECTORS = f"""
SELECT position, {_VECTORS_OF} FROM episode_chunks c
 WHERE {_OF_SOURCE} AND position BETWEEN :first AND :last
 ORDER BY position"""
#: The statements for `db/vector_cache.py`.
VECTORS = VectorStatements(
    newest=newest_number("chunk_vectors", "number"),
    newest_width=f"""
SELECT length(vector) / 4 FROM chunk_vectors WHERE ? IS NULL OR model = ? ORDER BY number DESC {at_most("1")}""",
    mark="SELECT hex(substr(vector, 1, 8)) FROM chunk_vectors WHERE number = ?",
    after=f"""
SELECT number, chunk, vector FROM chunk_vectors
 WHERE number > ? AND length(vector) = 4 * ? AND (? IS NULL OR model = ?) ORDER BY number {at_most()}""",
    stored=f"""
SELECT group_concat(number), CAST(group_concat(vector, x'') AS BLOB) FROM chunk_vectors WHERE number IN {LIST}""",
)
_PASSING = f"SELECT group_concat(c.seq) FROM episode_chunks c WHERE {_MAY}"
_VECTORS_PASSING = f"""
SELECT c.seq, v.vector FROM chunk_vectors v {THEN_JOIN} episode_chunks c ON c.seq = v.chunk
 WHERE {_MAY} AND length(v.vector) = :bytes AND (:model IS NULL OR v.model = :model)
 ORDER BY v.number DESC {at_most(":most")}"""

#: A commit may be known in several projects.
_WHOLE = """
SELECT min(content) FROM episode_chunks WHERE agent_id = ? AND source_type = ? AND source_id = ?
 GROUP BY position ORDER BY position"""

CHUNK_TEXTS = """
SELECT seq, agent_id, content FROM episode_chunks WHERE seq > ? ORDER BY seq LIMIT ?"""
_REMOVE = f"DELETE FROM episode_chunks WHERE seq IN {LIST}"
#: All chunks of the commits to which the given chunks belong.
_REMOVE_COMMITS = f"""
DELETE FROM episode_chunks WHERE (agent_id, source_type, source_id, project) IN (
  SELECT agent_id, source_type, source_id, project FROM episode_chunks
   WHERE seq IN {LIST} AND source_type = 'commit')"""
_SESSIONS_OF = f"""
SELECT DISTINCT agent_id, source_id FROM episode_chunks WHERE seq IN {LIST} AND source_type = 'session'"""
_SOURCES = "SELECT count(*) FROM (SELECT 1 FROM episode_chunks WHERE agent_id = ? GROUP BY source_type, source_id)"
#: Counts only as far as requested.
_HOLDING = f"""
SELECT count(*) FROM (
  SELECT DISTINCT c.source_type, c.source_id
    FROM episode_chunks_fts f {THEN_JOIN} episode_chunks c ON c.seq = f.rowid
   WHERE episode_chunks_fts MATCH :words AND c.agent_id = :agent
     AND c.source_id NOT IN {list_of(":but")} {at_most(":most")})"""


_DELETE_SESSION = (
    "DELETE FROM episode_chunks WHERE agent_id = ? AND source_type = 'session' AND source_id = ?"
)
_COUNT_SESSION = "SELECT count(*) FROM episode_chunks WHERE agent_id = ? AND source_type = 'session' AND source_id = ?"


def count_session(tx: ReadTx, agent_id: str, key: str) -> int:
    return int(tx.value(_COUNT_SESSION, (agent_id, key)))


def delete_session(tx: WriteTx, agent_id: str, key: str) -> None:
    tx.run(_DELETE_SESSION, (agent_id, key))


def sessions_of(tx: ReadTx, chunks: Sequence[int]) -> list[tuple[str, str]]:
    """Return agent and key of the sessions of chunks."""
    return [(row[0], row[1]) for row in tx.tuples(_SESSIONS_OF, (as_list(chunks),))]


def remove(tx: WriteTx, chunks: Sequence[int]) -> None:
    tx.run(_REMOVE, (as_list(chunks),))


def remove_commits(tx: WriteTx, chunks: Sequence[int]) -> None:
    """Delete all chunks of the commits to which these chunks belong, so that the commits are unknown again."""
    tx.run(_REMOVE_COMMITS, (as_list(chunks),))


def sources(tx: ReadTx, agent_id: str) -> int:
    return int(tx.value(_SOURCES, (agent_id,)))


def holding(tx: ReadTx, agent_id: str, words: str, *, but: Sequence[str], most: int) -> int:
    """Count the sources that match a full-text expression, except those in `but`; at most `most`."""
    asked = {"agent": agent_id, "words": words, "but": as_list(but), "most": most}
    return int(tx.value(_HOLDING, asked))


def whole(tx: ReadTx, agent_id: str, source_type: str, source_id: str) -> str:
    """Return all indexed text of a source, possibly empty."""
    return "\n".join(row[0] for row in tx.tuples(_WHOLE, (agent_id, source_type, source_id)))


#: Saved memories and documents, not facts distilled from them or from sessions.
_SAVED = Where(
    "m.is_deleted = 0 AND m.review IS NOT 'waiting' AND m.type NOT IN ('session_summary', 'daily-log', 'system')"
    " AND coalesce(m.source_type, '') NOT IN ('pipeline-v2', 'session_end')"
)
#: The pieces of a long memory and the chunks of a document are one source.
_MEMORIES = f"""
SELECT CASE m.type WHEN 'document_chunk' THEN 'document' ELSE 'memory' END AS source_type,
       CASE WHEN m.type = 'document_chunk' OR m.source_type = 'chunk' THEN m.source_id ELSE m.id END AS source_id,
       m.agent_id, coalesce(m.project, '') AS project,
       coalesce(m.ordinal, (SELECT d.chunk_index FROM document_memories d
                             WHERE d.memory_id = m.id AND d.document_id = m.source_id), 0) AS position,
       m.created_at AS said_at, m.content, e.vector AS vectors,
       e.vector IS NOT NULL AS parts, m.seq AS rank,
       coalesce(o.source_type, m.source_type, '') AS kind, m.who, coalesce(o.title, o.source_url) AS title,
       coalesce(m.origin, 'agent') AS origin, m.review, m.visibility
  FROM {list_rows()} j {THEN_JOIN} memories m ON m.seq = j.value
  LEFT JOIN embeddings e ON e.source_type = 'memory' AND e.source_id = m.id
  LEFT JOIN documents o ON m.type = 'document_chunk' AND o.id = m.source_id
 WHERE (? IS NULL OR coalesce(m.project, '') IN ('', ?)) AND {{where}}
 LIMIT ?"""
_PIECES = """
SELECT m.content, m.created_at FROM memories m
 WHERE (m.id = ? OR (m.source_type = 'chunk' AND m.source_id = ?)) AND m.type <> 'document_chunk'
   AND coalesce(m.ordinal, 0) BETWEEN ? AND ? AND {where} ORDER BY m.ordinal"""
_PAGES = """
SELECT m.content, m.created_at FROM document_memories d JOIN memories m ON m.id = d.memory_id
 WHERE d.document_id = ? AND d.chunk_index BETWEEN ? AND ? AND {where} ORDER BY d.chunk_index"""
_NAMED = """
SELECT DISTINCT source_id, project FROM episode_chunks
 WHERE agent_id = :agent AND source_type = :type AND (:project IS NULL OR project = :project)
   AND source_id >= :id AND source_id <= :last LIMIT 2"""
_OF_GROUP = """
SELECT DISTINCT coalesce(CASE m.source_type WHEN 'chunk' THEN m.source_id END, m.id), m.agent_id,
       coalesce(m.project, '')
  FROM memories m
 WHERE ((m.id >= ? AND m.id <= ?) OR (m.source_type = 'chunk' AND m.source_id >= ? AND m.source_id <= ?))
   AND m.type <> 'document_chunk' AND {where} LIMIT 2"""
_OF_DOCUMENT = """
SELECT DISTINCT o.id, o.agent_id, '' FROM documents o
  JOIN document_memories d ON d.document_id = o.id JOIN memories m ON m.id = d.memory_id
 WHERE o.id >= ? AND o.id <= ? AND o.status <> 'deleted' AND {where} LIMIT 2"""
#: The session from which a memory was distilled, directly or through another memory.
_ROOTS = f"""
SELECT m.id, CASE WHEN EXISTS (SELECT 1 FROM memory_history h WHERE h.memory_id = m.id AND h.event = 'updated'
                      AND h.actor_type <> 'pipeline' AND h.old_content <> h.new_content) THEN NULL
                  WHEN m.source_type = 'session_end' THEN m.source_id
                  WHEN p.source_type = 'session_end' THEN p.source_id END
  FROM {list_rows()} j {THEN_JOIN} memories m ON m.id = j.value
  LEFT JOIN memories p ON m.source_type = 'pipeline-v2' AND p.id = m.source_id"""
_IN_ONE_CHUNK = f"""
SELECT source_id FROM episode_chunks WHERE agent_id = ? AND source_type = 'session' AND source_id IN {LIST}
 GROUP BY source_id HAVING count(*) = 1"""
_CHUNKS_OF = """
SELECT project, position, said_at, content FROM episode_chunks
 WHERE agent_id = ? AND source_type = 'session' AND source_id = ? AND (? IS NULL OR project = ?) ORDER BY position"""


def stored(tx: ReadTx, source: Source) -> list[StoredRow]:
    """Return the indexed chunks of a source, in order."""
    return tx.rows(StoredRow, _STORED, _key(source))


def insert(tx: WriteTx, source: Source, chunks: Sequence[Chunk]) -> None:
    owner = (source.agent_id, source.type, source.id)
    rows = (
        (one.project or source.project, one.position, one.content, one.said_at) for one in chunks
    )
    tx.many(_INSERT, [(*owner, *row) for row in rows])


def lacking(tx: ReadTx, source: Source, model: str, *, most: int) -> list[LackingRow]:
    """Return chunks of a session, or of a project's commits, that lack a vector of this model."""
    return tx.rows(LackingRow, _LACKING, {**_key(source), "model": model, "most": most})


def give_vectors(
    tx: WriteTx, found: Sequence[tuple[LackingRow, Sequence[bytes]]], model: str
) -> None:
    """Store the vectors of chunks whose text is unchanged."""
    tx.run(_TAKE, (as_list(one.seq for one, _ in found),))
    rows = [(model, vector, one.seq, one.content) for one, many in found for vector in many]
    tx.many(_GIVE, rows)


def delete(tx: WriteTx, source: Source, positions: Sequence[int]) -> None:
    tx.run(_DELETE, {**_key(source), "positions": as_list(positions)})


def move(tx: WriteTx, source: Source, chunks: Sequence[Chunk]) -> None:
    """Assign indexed chunks of a session to their current projects."""
    for one in chunks:
        project = one.project or source.project
        tx.run(_MOVE, {**_key(source), "project": project, "position": one.position})


def unindexed(tx: ReadTx, *, model: str | None, limit: int) -> list[tuple[str, str]]:
    """Return agent, key of sessions without chunks or overview, newest first; then those lacking vectors of `model`."""
    found = tx.tuples(_UNINDEXED, {"most": limit})
    if model is not None and len(found) < limit:
        found += tx.tuples(_OTHER_MODEL, {"model": model, "most": limit - len(found)})
    return found


def commits(tx: ReadTx, agent_id: str, project: str) -> set[str]:
    """Return the hashes of a project's stored commits."""
    return {row[0] for row in tx.tuples(_COMMITS, (agent_id, project))}


def reverted(tx: ReadTx, agent_id: str, project: str, pattern: re.Pattern[str]) -> set[str]:
    """Return the hashes that stored messages revert; `pattern` finds them in a message."""
    rows = tx.tuples(_REVERTS, (agent_id, project))
    return {found for (content,) in rows for found in pattern.findall(content)}


def forget_commits(tx: WriteTx, agent_id: str, project: str, hashes: Sequence[str]) -> None:
    tx.run(_FORGET, (agent_id, project, as_list(hashes)))


class ChunkFilter(NamedTuple):
    """A filter for chunks; project None means all, `but` excludes a session.

    `spoken`: of sessions, only chunks with a person's message.
    """

    agent_id: str
    project: str | None
    but: str | None
    commits: bool
    spoken: bool = False
    most: int = CANDIDATES

    def given(self) -> dict[str, object]:
        """Return the parameters of a statement."""
        return {
            "agent": self.agent_id,
            "project": self.project,
            "except": self.but or "",
            "commits": self.commits,
            "spoken": self.spoken,
            "most": self.most,
        }


def search(tx: ReadTx, words: str, asked: ChunkFilter) -> list[FoundRow]:
    """Return the chunks that best match a full-text expression."""
    ranks, ranked = tx.once((_RANKS, words), lambda: _ranks(tx, words))
    rows = tx.rows(FoundRow, _RANKED, {**asked.given(), "ranked": ranked})
    return [row._replace(rank=ranks[int(row.rank)]) for row in rows]


def _ranks(tx: ReadTx, words: str) -> tuple[dict[int, float], str]:
    """Return the chunks that match an expression with their bm25, and their numbers as a list, best first."""
    ranks = dict(tx.tuples(_RANKS, (words,)))
    return ranks, as_list(sorted(ranks, key=ranks.__getitem__))


def passing(tx: ReadTx, asked: ChunkFilter) -> str:
    """Return the numbers of all chunks in scope, separated by commas."""
    return str(tx.value(_PASSING, asked.given()) or "")


def newest_vectors(
    tx: ReadTx, asked: ChunkFilter, *, bytes: int, model: str | None, most: int
) -> list[tuple[int, bytes]]:
    """Return the numbers and vectors of the newest chunk vectors of this size."""
    given = {**asked.given(), "bytes": bytes, "model": model, "most": most}
    return [(row[0], row[1]) for row in tx.tuples(_VECTORS_PASSING, given)]


def numbered(tx: ReadTx, chunks: Sequence[int], asked: ChunkFilter) -> list[FoundRow]:
    """Return these chunks, in their order."""
    return tx.rows(FoundRow, _RANKED, {**asked.given(), "ranked": as_list(chunks)})


def newest(tx: ReadTx, asked: ChunkFilter) -> list[FoundRow]:
    """Return the chunks that were indexed last."""
    return tx.rows(FoundRow, _NEWEST, asked.given())


def within(tx: ReadTx, asked: ChunkFilter, since: str, until: str) -> list[FoundRow]:
    return tx.rows(FoundRow, _WITHIN, {**asked.given(), "since": since, "until": until})


def messages(tx: ReadTx, asked: ChunkFilter) -> list[FoundRow]:
    """Return the beginnings of the newest commit messages."""
    return tx.rows(FoundRow, _MESSAGES, asked.given())


def beside(tx: ReadTx, row: FoundRow, asked: ChunkFilter, reach: int) -> list[FoundRow]:
    """Return the chunks of the same source at most `reach` places from a chunk, with it, in order."""
    place = {"first": row.position - reach, "last": row.position + reach}
    of = {"type": row.source_type, "id": row.source_id, "of": row.project}
    return tx.rows(FoundRow, _BESIDE, {**asked.given(), **of, **place})


def holders(tx: ReadTx, words: str) -> int:
    """Count the chunks of any agent that match a full-text expression; at most 1,000."""
    return tx.once((_HOLDERS, words), lambda: int(tx.value(_HOLDERS, (words,))))


def count(tx: ReadTx) -> int:
    """Return the approximate number of chunks."""
    return int(tx.value(_COUNT))


def in_one_chunk(tx: ReadTx, agent_id: str, keys: Sequence[str]) -> frozenset[str]:
    """Return the sessions that consist of one chunk."""
    return frozenset(tx.column(_IN_ONE_CHUNK, (agent_id, as_list(keys))))


def memories(
    tx: ReadTx, seqs: Sequence[int], *, reader: Reader, project: str | None
) -> list[tuple[int, FoundRow]]:
    """Return the requested memories and document chunks with their `seq`, once for each vector.

    Without `project`, those of every project.
    """
    where = _SAVED & is_current() & visibility.readable(reader)
    given = (as_list(seqs), project, project, *where.params, CANDIDATES)
    rows = tx.rows(FoundRow, _MEMORIES.format(where=where.sql), given)
    return [(int(row.rank), row) for row in rows]


#: The plus prevents an index: without statistics SQLite prefers that of deletion, which covers nearly all memories, to
#: that of IDs.
_LIVE = Where("+m.is_deleted = 0")


def around(
    tx: ReadTx, source: Source, first: int, last: int, *, reader: Reader, unasked: bool = False
) -> list[str]:
    """Return the texts of the chunks between two positions, inclusive, that the reader may see.

    `unasked` omits texts that wait for review.
    """
    if source.type in (SourceType.SESSION, SourceType.COMMIT):
        return list(chunks(tx, source, first, last).values())
    where = _LIVE & visibility.readable(reader)
    if unasked:
        where &= Where("m.review IS NOT 'waiting'")
    sql, given = _PIECES, [source.id, source.id, first, last]
    if source.type is SourceType.DOCUMENT:
        sql, given = _PAGES, [source.id, first, last]
    return [row[0] for row in tx.tuples(sql.format(where=where.sql), (*given, *where.params))]


def chunks(tx: ReadTx, source: Source, first: int, last: int) -> dict[int, str]:
    """Return the texts of a session's or commit's chunks between two positions, inclusive, in order."""
    return dict(tx.tuples(_AROUND, {**_key(source), "first": first, "last": last}))


def vectors(tx: ReadTx, source: Source, first: int, last: int) -> dict[int, bytes | None]:
    """Return the mean vector of each chunk between two positions, inclusive, in order."""
    rows = tx.tuples(_VECTORS, {**_key(source), "first": first, "last": last})
    return {position: mean(many, count) for position, many, count in rows}


def named(
    tx: ReadTx, type: SourceType, id: str, *, is_short: bool, reader: Reader, project: str | None
) -> list[Source]:
    """Return the reader's sources with this ID or ID prefix; at most two."""
    last = f"{id}g" if is_short else id  # after every hexadecimal digit
    if type in (SourceType.SESSION, SourceType.COMMIT):
        asked = {"agent": reader.agent_id, "type": type, "project": reader.project or project}
        rows = tx.tuples(_NAMED, {**asked, "id": id, "last": last})
        return [Source(type=type, id=one, agent_id=reader.agent_id, project=of) for one, of in rows]
    where = _LIVE & visibility.readable(reader)
    sql, given = _OF_GROUP, [id, last, id, last]
    if type is SourceType.DOCUMENT:
        sql, given = _OF_DOCUMENT, [id, last]
    rows = tx.tuples(sql.format(where=where.sql), (*given, *where.params))
    return [Source(type=type, id=one, agent_id=owner, project=of) for one, owner, of in rows]


def roots(tx: ReadTx, memory_ids: Sequence[str]) -> dict[str, str | None]:
    """Return the session from which each memory was distilled, None for no session."""
    return dict(tx.tuples(_ROOTS, (as_list(memory_ids),)))


def of_session(tx: ReadTx, key: str, *, agent_id: str, project: str | None) -> list[ChunkRow]:
    return tx.rows(ChunkRow, _CHUNKS_OF, (agent_id, key, project, project))


def _key(source: Source) -> dict[str, object]:
    return {
        "agent": source.agent_id,
        "type": source.type,
        "id": source.id,
        "project": source.project,
    }
