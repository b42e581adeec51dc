"""Deleting memories for good, hiding those of an agent that is removed, and what is old enough to go."""

from collections.abc import Sequence

from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list, by_index, list_of

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


def delete(tx: WriteTx, memory_ids: Sequence[str]) -> int:
    """Delete memories with the rows of this noun that only make sense with them; return how many memories went."""
    listed = (as_list(memory_ids),)
    for statement in _COMPANIONS:
        tx.run(statement, listed)
    return tx.run(_DELETE, listed)


def of_agent(tx: ReadTx, agent_id: str, limit: int, *, with_hidden: bool) -> list[str]:
    """Return the oldest memories of an agent; forgotten and archived ones only `with_hidden`."""
    return [row[0] for row in tx.tuples(_OF_AGENT, (agent_id, with_hidden, limit))]


def archive(tx: WriteTx, memory_id: str) -> bool:
    """Take a memory out of every reader's sight; False when its text is archived already."""
    return tx.run(_ARCHIVE, (memory_id,)) == 1


def expired(tx: ReadTx, before: str, limit: int) -> list[str]:
    """Return ids of the oldest memories that were forgotten before this; the same ones until they are deleted."""
    return [row[0] for row in tx.tuples(_EXPIRED, (before, limit))]
