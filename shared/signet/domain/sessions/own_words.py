"""A fact is a key, not a text: what is told is the memory that it was read from, in the words of whoever saved it."""

from collections.abc import Iterable

from signet.db import ReadTx
from signet.db.dialect import as_list
from signet.db.visibility import Reader
from signet.domain.episodes import fence
from signet.domain.graph.traversal import WHOLE_CHARS
from signet.domain.sessions.sql import memories
from signet.domain.sessions.sql.memories import MemoryRow
from signet.wire.origin import Origin, Review


def of(tx: ReadTx, reader: Reader, ids: Iterable[str | None]) -> dict[str | None, MemoryRow]:
    """Return by id those of the memories that are told instead of what was read from them: short ones, not held.

    A long memory is more than a fact of it; there the fact is told.
    """
    wanted = dict.fromkeys(filter(None, ids))
    rows = memories.listed(tx, memories.BY_ID, reader, as_list(wanted)) if wanted else []
    return {row.id: row for row in rows if len(row.content) <= WHOLE_CHARS and not is_held(row)}


def is_held(row: MemoryRow) -> bool:
    """Return whether a memory is not to be read out unasked."""
    review = Review(row.review) if row.review else None
    return fence.is_held(Origin(row.origin), review, row.content)
