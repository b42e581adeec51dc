"""Deleting rows of jobs: with their memory, when they are old, or because a person asks for it."""

from collections.abc import Sequence

from signet.db import WriteTx
from signet.db.dialect import LIST, as_list, by_index
from signet.queue.kinds import Status

#: A running job ends as usual.
_OF_MEMORIES = f"DELETE FROM memory_jobs WHERE memory_id IN {LIST} AND status <> 'leased'"
#: The hints keep the planner on the partial indexes of the times that are compared.
_COMPLETED = f"""
DELETE FROM memory_jobs WHERE rowid IN (
  SELECT rowid FROM memory_jobs {by_index("idx_memory_jobs_completed_at")}
   WHERE status = 'completed' AND completed_at < ? ORDER BY completed_at LIMIT ?)"""
_DEAD = f"""
DELETE FROM memory_jobs WHERE rowid IN (
  SELECT rowid FROM memory_jobs {by_index("idx_memory_jobs_failed_at")}
   WHERE status = 'dead' AND failed_at < ? ORDER BY failed_at LIMIT ?)"""

_ENDED = f"DELETE FROM memory_jobs WHERE status = ? AND id IN {LIST}"


def delete_of_memories(tx: WriteTx, memory_ids: Sequence[str]) -> None:
    """Delete the jobs of memories that are deleted."""
    tx.run(_OF_MEMORIES, (as_list(memory_ids),))


def delete_completed(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest jobs that were completed before this time; return how many."""
    return tx.run(_COMPLETED, (before, limit))


def delete_dead(tx: WriteTx, before: str, limit: int) -> int:
    """Delete the oldest jobs that died before this time; return how many."""
    return tx.run(_DEAD, (before, limit))


def delete_ended(tx: WriteTx, status: Status, job_ids: Sequence[str]) -> int:
    """Delete those of these jobs that are still in this state; return how many."""
    return tx.run(_ENDED, (status, as_list(job_ids)))
