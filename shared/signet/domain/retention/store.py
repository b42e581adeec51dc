"""Which rows are old enough, and the SQL of those that no noun above the queue owns.

Each statement looks at a bounded number of rows through an index on the time it compares.
"""

import json

from signet.db import ReadTx, WriteTx

# The hints keep the planner on the partial indexes of the times that are compared.
_TOMBSTONES = "SELECT id FROM memories INDEXED BY idx_memories_deleted_at WHERE is_deleted = 1"
#: A tombstone without a time (older files have some) is as old as its last change.
_EXPIRED = f"""
SELECT id FROM ({_TOMBSTONES} AND deleted_at IS NULL AND updated_at < ?1 ORDER BY seq LIMIT ?2)
UNION ALL
SELECT id FROM ({_TOMBSTONES} AND deleted_at < ?1 ORDER BY deleted_at, seq LIMIT ?2)
LIMIT ?2
"""
_EMBEDDED = (
    "SELECT DISTINCT source_id FROM embeddings"
    " WHERE source_type = 'memory' AND source_id IN (SELECT value FROM json_each(?))"
)
_BARE = """
SELECT value FROM json_each(?)
 WHERE NOT EXISTS (SELECT 1 FROM memory_entity_mentions WHERE memory_id = value)
   AND NOT EXISTS (SELECT 1 FROM entity_attributes WHERE source_memory_id = value)
   AND NOT EXISTS (SELECT 1 FROM embeddings WHERE source_type = 'memory' AND source_id = value)
"""
_HISTORY = (
    "DELETE FROM memory_history WHERE rowid IN"
    " (SELECT rowid FROM memory_history WHERE created_at < ? ORDER BY created_at LIMIT ?)"
)
_COMPLETED = (
    "DELETE FROM memory_jobs WHERE rowid IN ("
    "SELECT rowid FROM memory_jobs INDEXED BY idx_memory_jobs_completed_at"
    " WHERE status = 'completed' AND completed_at < ? ORDER BY completed_at LIMIT ?)"
)
_DEAD = (
    "DELETE FROM memory_jobs WHERE rowid IN ("
    "SELECT rowid FROM memory_jobs INDEXED BY idx_memory_jobs_failed_at"
    " WHERE status = 'dead' AND failed_at < ? ORDER BY failed_at LIMIT ?)"
)
#: What was asked for is gone through in the order in which it was; its end is what counts.
_SUMMARIES = (
    "DELETE FROM summary_jobs WHERE rowid IN ("
    "SELECT rowid FROM summary_jobs INDEXED BY idx_summary_jobs_status"
    " WHERE status = ?1 AND created_at < ?2 AND coalesce(completed_at, failed_at, updated_at) < ?2"
    " ORDER BY created_at LIMIT ?3)"
)


def expired(tx: ReadTx, before: str, limit: int) -> list[str]:
    """Return ids of the oldest expired tombstones; the same ones until they are deleted."""
    return [row[0] for row in tx.all(_EXPIRED, (before, limit))]


def embedded(tx: ReadTx, memory_ids: list[str]) -> list[str]:
    """Return which of these memories have vectors."""
    return [row[0] for row in tx.all(_EMBEDDED, (json.dumps(memory_ids),))]


def bare(tx: ReadTx, memory_ids: list[str]) -> list[str]:
    """Return which of these memories have neither links nor vectors."""
    return [row[0] for row in tx.all(_BARE, (json.dumps(memory_ids),))]


def drop_history(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest history rows and return how many."""
    return tx.run(_HISTORY, (before, limit))


def drop_completed_jobs(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest completed jobs and return how many."""
    return tx.run(_COMPLETED, (before, limit))


def drop_dead_jobs(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest dead jobs and return how many."""
    return tx.run(_DEAD, (before, limit))


def drop_summaries(tx: WriteTx, status: str, before: str, limit: int) -> int:
    """Delete the oldest requests for summaries that ended so and return how many."""
    return tx.run(_SUMMARIES, (status, before, limit))
