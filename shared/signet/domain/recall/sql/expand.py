"""The statements of `recall/supplement.py`, for transcripts of sessions."""

from signet.db.dialect import LIST, list_of

#: A fact made from a memory carries that memory's id as its source: one step back leads to the session.
PARENTS = f"""
SELECT id, source_id FROM memories
WHERE id IN {LIST} AND source_id IS NOT NULL
"""
TRANSCRIPTS = f"""
SELECT session_key, substr(content, 1, ?1) FROM session_transcripts
WHERE agent_id = ?2 AND (?3 IS NULL OR project = ?3) AND session_key IN {list_of("?4")}
"""
