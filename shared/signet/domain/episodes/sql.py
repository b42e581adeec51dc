"""The only SQL of episodes: the table `episode_chunks` and its full-text index."""

import json
import re
from collections.abc import Sequence

from signet.db import ReadTx, Row, WriteTx
from signet.domain.episodes.models import Chunk, Source

#: Chunks that a search compares by meaning.
CANDIDATES = 60

_OF_SOURCE = "agent_id = :agent AND source_type = :type AND source_id = :id AND project = :project"
_STORED = (
    f"SELECT position, content, model FROM episode_chunks WHERE {_OF_SOURCE} ORDER BY position"
)
_INSERT = """
INSERT INTO episode_chunks (agent_id, source_type, source_id, project, position, content, said_at, model, vector)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_DELETE = f"DELETE FROM episode_chunks WHERE {_OF_SOURCE} AND position IN (SELECT value FROM json_each(:positions))"
#: A session may get its project after its first words were indexed.
_MOVE = """
UPDATE episode_chunks SET project = :project
 WHERE agent_id = :agent AND source_type = :type AND source_id = :id AND project <> :project"""
#: One whose job has died is left alone until that job is pruned.
_ALIVE = """NOT EXISTS (
  SELECT 1 FROM memory_jobs j
   WHERE j.dedupe_key = 'index_session:' || {0}.agent_id || ':' || {0}.{1} AND j.status = 'dead')"""
_UNINDEXED = f"""
SELECT t.agent_id, t.session_key FROM session_transcripts t
 WHERE t.content <> '' AND {_ALIVE.format("t", "session_key")} AND NOT EXISTS (
   SELECT 1 FROM episode_chunks c
    WHERE c.agent_id = t.agent_id AND c.source_type = 'session' AND c.source_id = t.session_key)
 ORDER BY t.created_at DESC LIMIT :most"""
_OTHER_MODEL = f"""
SELECT DISTINCT c.agent_id, c.source_id FROM episode_chunks c
 WHERE c.source_type = 'session' AND c.model IS NOT :model AND {_ALIVE.format("c", "source_id")} LIMIT :most"""
_COMMITS = """
SELECT DISTINCT source_id FROM episode_chunks WHERE source_type = 'commit' AND agent_id = ? AND project = ?"""
_REVERTS = """
SELECT content FROM episode_chunks
 WHERE source_type = 'commit' AND agent_id = ? AND project = ? AND content LIKE '%This reverts commit%'"""
_FORGET = """
DELETE FROM episode_chunks
 WHERE source_type = 'commit' AND agent_id = ? AND project = ? AND source_id IN (SELECT value FROM json_each(?))"""
_SEARCH = """
SELECT c.source_type, c.source_id, c.agent_id, c.project, c.position, c.said_at, c.content,
       c.vector, f.rank
  FROM episode_chunks_fts f JOIN episode_chunks c ON c.seq = f.rowid
 WHERE episode_chunks_fts MATCH :words AND c.agent_id = :agent AND (:project IS NULL OR c.project = :project)
   AND NOT (c.source_type = 'session' AND c.source_id = :except) AND (:commits OR c.source_type <> 'commit')
 ORDER BY f.rank LIMIT :most"""
_AROUND = f"""
SELECT content FROM episode_chunks
 WHERE {_OF_SOURCE} AND position BETWEEN :first AND :last ORDER BY position"""

#: A commit may be known in several projects.
_WHOLE = """
SELECT content FROM episode_chunks WHERE agent_id = ? AND source_type = ? AND source_id = ?
 GROUP BY position ORDER BY position"""

_SOURCES = "SELECT count(*) FROM (SELECT 1 FROM episode_chunks WHERE agent_id = ? GROUP BY source_type, source_id)"
#: Counts no further than is asked.
_HOLDING = """
SELECT count(*) FROM (
  SELECT DISTINCT c.source_type, c.source_id
    FROM episode_chunks_fts f CROSS JOIN episode_chunks c ON c.seq = f.rowid
   WHERE episode_chunks_fts MATCH :words AND c.agent_id = :agent
     AND c.source_id NOT IN (SELECT value FROM json_each(:but)) LIMIT :most + 0)"""


def sources(tx: ReadTx, agent_id: str) -> int:
    """Return how many sessions and commits of an agent are indexed."""
    return int(tx.value(_SOURCES, (agent_id,)))


def holding(tx: ReadTx, agent_id: str, words: str, *, but: Sequence[str], most: int) -> int:
    """Return how many sources a full-text expression fits, without those in `but`; at most `most`."""
    asked = {"agent": agent_id, "words": words, "but": json.dumps(list(but)), "most": most}
    return int(tx.value(_HOLDING, asked))


def whole(tx: ReadTx, agent_id: str, source_type: str, source_id: str) -> str:
    """Return all that is indexed of a source as one text, empty when nothing is."""
    return "\n".join(row[0] for row in tx.tuples(_WHOLE, (agent_id, source_type, source_id)))


def stored(tx: ReadTx, source: Source) -> list[Row]:
    """Return position, content and model of what is indexed of a source, in order."""
    return tx.all(_STORED, _key(source))


def insert(
    tx: WriteTx, source: Source, chunks: Sequence[tuple[Chunk, bytes | None]], model: str | None
) -> None:
    """Add chunks with their vectors."""
    owner = (source.agent_id, source.type, source.id, source.project)
    tx.many(
        _INSERT,
        [
            (*owner, one.position, one.content, one.said_at, model if vector else None, vector)
            for one, vector in chunks
        ],
    )


def delete(tx: WriteTx, source: Source, positions: Sequence[int]) -> None:
    """Remove chunks of a source."""
    tx.run(_DELETE, {**_key(source), "positions": json.dumps(list(positions))})


def move(tx: WriteTx, source: Source) -> None:
    """Give the chunks of a session the project that it has now."""
    tx.run(_MOVE, _key(source))


def unindexed(tx: ReadTx, *, model: str | None, limit: int) -> list[tuple[str, str]]:
    """Return agent and key of sessions without chunks, newest first, then of those without vectors of this model."""
    found = tx.tuples(_UNINDEXED, {"most": limit})
    if model is not None and len(found) < limit:
        found += tx.tuples(_OTHER_MODEL, {"model": model, "most": limit - len(found)})
    return found


def commits(tx: ReadTx, agent_id: str, project: str) -> set[str]:
    """Return the hashes of the commits that are known of a project."""
    return {row[0] for row in tx.tuples(_COMMITS, (agent_id, project))}


def reverted(tx: ReadTx, agent_id: str, project: str, pattern: re.Pattern[str]) -> set[str]:
    """Return the hashes that stored messages say were reverted; `pattern` finds them in a message."""
    rows = tx.tuples(_REVERTS, (agent_id, project))
    return {found for (content,) in rows for found in pattern.findall(content)}


def forget_commits(tx: WriteTx, agent_id: str, project: str, hashes: Sequence[str]) -> None:
    """Remove the chunks of commits."""
    tx.run(_FORGET, (agent_id, project, json.dumps(list(hashes))))


def search(
    tx: ReadTx,
    words: str,
    *,
    agent_id: str,
    project: str | None,
    but: str | None,
    commits: bool,
) -> list[Row]:
    """Return the chunks that a full-text expression fits best; `but` is a session that is left out."""
    asked = {"words": words, "agent": agent_id, "project": project, "except": but or ""}
    return tx.all(_SEARCH, {**asked, "commits": commits, "most": CANDIDATES})


def around(tx: ReadTx, source: Source, first: int, last: int) -> list[str]:
    """Return the texts of the chunks between two positions, both included."""
    asked = {**_key(source), "first": first, "last": last}
    return [row[0] for row in tx.all(_AROUND, asked)]


def _key(source: Source) -> dict[str, object]:
    return {
        "agent": source.agent_id,
        "type": source.type,
        "id": source.id,
        "project": source.project,
    }
