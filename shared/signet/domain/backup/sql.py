"""Whether the database holds anything to copy."""

from signet.db import ReadTx

_HAS_MEMORIES = "SELECT 1 FROM memories LIMIT 1"


def has_memories(tx: ReadTx) -> bool:
    """Return whether there are memories, forgotten ones too."""
    return tx.value(_HAS_MEMORIES) is not None
