"""Rows of ids under which imported records are known, and the vectors of a memory for an export."""

from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.db.copying import MAIN

_ALIAS = "SELECT id FROM {}.import_aliases WHERE kind = ? AND foreign_id = ?"
_KEEP_ALIAS = "INSERT OR REPLACE INTO import_aliases (kind, foreign_id, id) VALUES (?, ?, ?)"
_PASSAGES = """
SELECT chunk_text AS text, vector FROM embeddings WHERE source_type = 'memory' AND source_id = ? ORDER BY ordinal"""


class Passage(NamedTuple):
    """One passage of a memory and its vector."""

    text: str
    vector: bytes


def alias(tx: ReadTx, kind: str, foreign_id: object, *, schema: str = MAIN) -> object:
    """Return the id under which an imported record is here, None where it has kept its own."""
    found: object = tx.value(_ALIAS.format(schema), (kind, foreign_id))
    return found


def keep_alias(tx: WriteTx, kind: str, foreign_id: object, ours: object) -> None:
    """Store the id under which an imported record is here."""
    tx.run(_KEEP_ALIAS, (kind, foreign_id, ours))


def passages(tx: ReadTx, memory_id: str) -> list[Passage]:
    """Return the passages of a memory with their vectors, in order."""
    return tx.rows(Passage, _PASSAGES, (memory_id,))
