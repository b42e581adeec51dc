"""What was said in sessions: `session_transcripts`.

A stored transcript only ever grows, so its length names its version within a session.
"""

from typing import NamedTuple


class Transcript(NamedTuple):
    """A transcript as it is stored; `created_at` is when its first message was said."""

    content: str
    project: str | None
    created_at: str


class Read(NamedTuple):
    """How many characters are stored of a session, and up to where parts of it were queued to be read."""

    chars: int = 0
    until: int = 0


#: The longer text stays (PIP-34).
PUT = """
INSERT INTO session_transcripts (agent_id, session_key, content, harness, project, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (agent_id, session_key) DO UPDATE
   SET content = excluded.content, updated_at = excluded.updated_at, created_at = min(created_at, excluded.created_at)
 WHERE length(excluded.content) > length(content)"""
_OF_SESSION = "FROM session_transcripts WHERE agent_id = ? AND session_key = ?"
READ = f"SELECT length(content) AS chars, read_until AS until {_OF_SESSION}"
TEXT = f"SELECT content {_OF_SESSION}"
WHOLE = f"SELECT content, project, created_at {_OF_SESSION}"
AFTER = f"SELECT substr(content, ? + 1) {_OF_SESSION}"
#: By the index of the key alone: the texts are long.
COUNT = "SELECT count(*) FROM session_transcripts"
COUNT_OF_AGENT = f"{COUNT} WHERE agent_id = ?"
COPY_FROM_JOBS = """
INSERT OR IGNORE INTO session_transcripts (agent_id, session_key, content, harness, project, created_at)
SELECT agent_id, session_id, transcript, harness, project, created_at FROM summary_jobs
 WHERE transcript <> '' AND session_id IS NOT NULL ORDER BY rowid"""
SET_READ = "UPDATE session_transcripts SET read_until = ? WHERE agent_id = ? AND session_key = ?"

DELETE = f"DELETE {_OF_SESSION}"
FORGET = (
    "INSERT OR IGNORE INTO forgotten_sessions (agent_id, session_key, created_at) VALUES (?, ?, ?)"
)
IS_FORGOTTEN = "SELECT 1 FROM forgotten_sessions WHERE agent_id = ? AND session_key = ?"
FORGOTTEN = "SELECT agent_id, session_key FROM forgotten_sessions"

WITHHOLD = """
INSERT OR REPLACE INTO withheld_statements (memory_id, agent_id, words, names, created_at) VALUES (?, ?, ?, ?, ?)"""
LIFT = "DELETE FROM withheld_statements WHERE memory_id = ?"
WITHHELD = "SELECT memory_id, words, names FROM withheld_statements WHERE agent_id = ?"
ALL_WITHHELD = "SELECT memory_id, words, names FROM withheld_statements"
WHOLE_WITHHELD = "SELECT memory_id, agent_id, words, names, created_at FROM withheld_statements"
CARRY = """
INSERT OR IGNORE INTO withheld_statements (memory_id, agent_id, words, names, created_at) VALUES (?, ?, ?, ?, ?)"""
ERASED = """
SELECT w.agent_id, w.memory_id, w.words, w.names FROM withheld_statements w
 WHERE EXISTS (SELECT 1 FROM forgotten_values v WHERE v.memory_id = w.memory_id AND v.why = 'erased')"""
TEXTS = """
SELECT rowid, agent_id, content FROM session_transcripts
 WHERE rowid > ? AND (?3 IS NULL OR session_key = ?3) ORDER BY rowid LIMIT ?2"""
#: What was read stays read: all of a shorter text, or as far as before.
CLEAN = """
UPDATE session_transcripts SET content = ?1, read_until = min(read_until, length(?1))
 WHERE rowid = ?2 AND content = ?3"""

UNKEEP = "INSERT OR IGNORE INTO unkept_sessions (agent_id, session_key, since) VALUES (?, ?, ?)"
KEEP_AGAIN = "DELETE FROM unkept_sessions WHERE agent_id = ? AND session_key = ?"
IS_UNKEPT = "SELECT 1 FROM unkept_sessions WHERE agent_id = ? AND session_key = ?"
