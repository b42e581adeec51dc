"""Rows of ids under which imported records are known, and the vectors of a memory for an export."""

from typing import NamedTuple

ALIAS = "SELECT id FROM {}.import_aliases WHERE kind = ? AND foreign_id = ?"
KEEP_ALIAS = "INSERT OR REPLACE INTO import_aliases (kind, foreign_id, id) VALUES (?, ?, ?)"
PASSAGES = """
SELECT chunk_text AS text, vector FROM embeddings WHERE source_type = 'memory' AND source_id = ? ORDER BY ordinal"""


class Passage(NamedTuple):
    """One passage of a memory and its vector."""

    text: str
    vector: bytes
