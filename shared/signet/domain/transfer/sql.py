"""Rows of ids under which imported records are known, and the vectors of a memory for an export."""

from typing import NamedTuple

from signet.db.dialect import THEN_JOIN

ALIAS = "SELECT id FROM {}.import_aliases WHERE kind = ? AND foreign_id = ?"
KEEP_ALIAS = "INSERT OR REPLACE INTO import_aliases (kind, foreign_id, id) VALUES (?, ?, ?)"
#: Entities that a memory named which was left out: `entity memory`, for a look by either.
NAMED = "named_by_left_out"
#: Whether a memory that was left out named both of two entities; `{{0}}` is the database.
NAMED_BOTH = f"""
SELECT 1 FROM {{0}}.import_aliases a {THEN_JOIN} {{0}}.import_aliases b
    ON b.kind = a.kind AND b.foreign_id = ?2 || substr(a.foreign_id, length(?1) + 1)
 WHERE a.kind = '{NAMED}' AND a.foreign_id > ?1 || ' ' AND a.foreign_id < ?1 || '!' LIMIT 1"""
PASSAGES = """
SELECT chunk_text AS text, vector FROM embeddings WHERE source_type = 'memory' AND source_id = ? ORDER BY ordinal"""


class Passage(NamedTuple):
    """One passage of a memory and its vector."""

    text: str
    vector: bytes
