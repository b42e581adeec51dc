"""Aliases of imported records, and the vectors of a memory for an export."""

from typing import NamedTuple

from signet.db.dialect import THEN_JOIN

ALIAS = "SELECT id FROM {}.import_aliases WHERE kind = ? AND foreign_id = ?"
KEEP_ALIAS = "INSERT OR REPLACE INTO import_aliases (kind, foreign_id, id) VALUES (?, ?, ?)"
#: Entities named by a left-out memory: `entity memory`, to search by either.
NAMED = "named_by_left_out"
#: Whether a left-out memory named both of two entities; `{{0}}` is the database.
NAMED_BOTH = f"""
SELECT 1 FROM {{0}}.import_aliases a {THEN_JOIN} {{0}}.import_aliases b
    ON b.kind = a.kind AND b.foreign_id = ?2 || substr(a.foreign_id, length(?1) + 1)
 WHERE a.kind = '{NAMED}' AND a.foreign_id > ?1 || ' ' AND a.foreign_id < ?1 || '!' LIMIT 1"""
PASSAGES = """
SELECT chunk_text AS text, vector FROM embeddings WHERE source_type = 'memory' AND source_id = ? ORDER BY ordinal"""


class Passage(NamedTuple):
    text: str
    vector: bytes
