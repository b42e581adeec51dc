"""Removing memories for good. Their history stays until it is old enough itself."""

from collections.abc import Sequence

from signet.db import WriteTx
from signet.domain.memory import store


def drop(tx: WriteTx, memory_ids: Sequence[str]) -> int:
    """Delete memories with their text index, hints, document links, feedback and jobs; return how many went.

    Links into the graph and vectors are removed before, by their own nouns.
    """
    return store.drop(tx, memory_ids)
