"""The statements of `recall/expand.py`."""

#: A fact made from a memory carries that memory's id as its source: one step back leads to the session.
PARENTS = """
SELECT id, source_id FROM memories
WHERE id IN (SELECT value FROM json_each(?)) AND source_id IS NOT NULL
"""
TRANSCRIPTS = """
SELECT session_key, substr(content, 1, ?1) FROM session_transcripts
WHERE agent_id = ?2 AND (?3 IS NULL OR project = ?3) AND session_key IN (SELECT value FROM json_each(?4))
"""
