"""SQL of `session_transcripts`, the texts of sessions.

A stored transcript only ever grows, so its length names its version within a session.
"""

from typing import NamedTuple

from signet.db.dialect import THEN_JOIN, list_rows


class Transcript(NamedTuple):
    """A stored transcript; `created_at` is the time of its first message."""

    content: str
    project: str | None
    created_at: str


class Read(NamedTuple):
    """The number of stored characters, and the end of the parts queued for reading."""

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
#: Uses the index of the key, because the texts are long.
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
#: The texts that a person replaced by editing a memory, newest first.
EDITED = """
SELECT h.old_content, m.content, h.created_at
  FROM memory_sources s JOIN memories m ON m.id = s.memory_id JOIN memory_history h ON h.memory_id = m.id
 WHERE s.kind = 'person' AND m.agent_id = ? AND h.event = 'updated' AND h.actor_type <> 'pipeline'
   AND h.old_content <> h.new_content AND h.old_content <> m.content
 ORDER BY h.created_at DESC LIMIT 200"""
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
#: The job continues at its position, or at the end of a text that is now shorter.
CLEAN = """
UPDATE session_transcripts SET content = ?1, read_until = min(read_until, length(?1))
 WHERE rowid = ?2 AND content = ?3"""
CORRECT = """
UPDATE session_transcripts SET content = ?1, read_until = min(read_until, length(?1))
 WHERE agent_id = ?2 AND session_key = ?3 AND content = ?4"""

PUT_PART = """
INSERT OR REPLACE INTO session_parts (agent_id, session_key, since, project, sub_path) VALUES (?, ?, ?, ?, ?)"""
PARTS = """
SELECT since, project, sub_path FROM session_parts WHERE agent_id = ? AND session_key = ? ORDER BY since"""
DELETE_PARTS = "DELETE FROM session_parts WHERE agent_id = ? AND session_key = ?"

#: A session without `decisions` waits to be indexed.
PUT_OVERVIEW = """
INSERT INTO session_overviews (agent_id, session_key, title, outcome, decisions) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET title = excluded.title, outcome = excluded.outcome, decisions = excluded.decisions"""
#: Until then a running session has the title of its first prompt.
PUT_FIRST_TITLE = """
INSERT INTO session_overviews (agent_id, session_key, title) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"""
DELETE_FIRST_TITLE = """
DELETE FROM session_overviews WHERE agent_id = ?1 AND session_key = ?2 AND decisions IS NULL
   AND NOT EXISTS (SELECT 1 FROM session_transcripts WHERE agent_id = ?1 AND session_key = ?2)"""
PUT_TOPIC = """
INSERT INTO session_overviews (agent_id, session_key, topic) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET topic = excluded.topic"""
PUT_FILES = """
INSERT INTO session_overviews (agent_id, session_key, files) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET files = excluded.files"""
FILES = "SELECT files FROM session_overviews WHERE agent_id = ? AND session_key = ?"
OVERVIEWS = f"""
SELECT o.agent_id, o.session_key, coalesce(o.topic, o.title) AS title, o.outcome, o.decisions, o.files
  FROM (SELECT value ->> 0 AS agent_id, value ->> 1 AS session_key FROM {list_rows(":sessions")}) n
  {THEN_JOIN} session_overviews o ON o.agent_id = n.agent_id AND o.session_key = n.session_key"""
#: Files that several sessions changed, by project.
TOUCHED = """
SELECT t.project, f.value AS file, count(DISTINCT t.session_key) AS sessions
  FROM session_overviews o JOIN session_transcripts t ON t.agent_id = o.agent_id AND t.session_key = o.session_key,
       json_each(o.files) f
 WHERE (:agent IS NULL OR o.agent_id = :agent) AND coalesce(t.project, '') <> ''
   AND coalesce(:project, t.project) = t.project
 GROUP BY 1, 2 HAVING count(DISTINCT t.session_key) >= :least ORDER BY sessions DESC, file LIMIT :most"""
DELETE_OVERVIEW = "DELETE FROM session_overviews WHERE agent_id = ? AND session_key = ?"
#: All but the files, which are written again when the session is indexed.
OVERVIEW_TEXTS = """
SELECT rowid, agent_id, coalesce(title, '') || '
' || coalesce(topic, '') || '
' || coalesce(outcome, '') || '
' || coalesce(decisions, '') FROM session_overviews
 WHERE rowid > ? AND (?3 IS NULL OR session_key = ?3) ORDER BY rowid LIMIT ?2"""
CLEAN_OVERVIEW = """
UPDATE session_overviews SET title = NULL, topic = NULL, outcome = NULL, decisions = NULL
 WHERE ? IS NOT NULL AND rowid = ? AND ? IS NOT NULL"""

UNKEEP = "INSERT OR IGNORE INTO unkept_sessions (agent_id, session_key, since) VALUES (?, ?, ?)"
KEEP_AGAIN = "DELETE FROM unkept_sessions WHERE agent_id = ? AND session_key = ?"
IS_UNKEPT = "SELECT 1 FROM unkept_sessions WHERE agent_id = ? AND session_key = ?"

_READING = "WHERE agent_id = ? AND session_key = ?"
ASKED = """
INSERT INTO session_readings (agent_id, session_key, harness, asked_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET asked_at = excluded.asked_at"""
ENDED = f"UPDATE session_readings SET read_at = coalesce(read_at, ?) {_READING}"
PUT_READING = """
INSERT INTO session_readings (agent_id, session_key, harness, version, messages, unknown, shortened, left_out, read_at,
    log_bytes, reader) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
   SET harness = excluded.harness, version = coalesce(excluded.version, version),
       messages = max(messages, excluded.messages), unknown = excluded.unknown, shortened = excluded.shortened,
       left_out = excluded.left_out, read_at = excluded.read_at, log_bytes = excluded.log_bytes,
       reader = excluded.reader"""
CAPTURED = (
    f"UPDATE session_readings SET last_said_at = max(coalesce(last_said_at, ''), ?) {_READING}"
)
READING = f"""
SELECT harness, version, messages, unknown, shortened, left_out, last_said_at FROM session_readings {_READING}"""
FORGET_READING = f"DELETE FROM session_readings {_READING}"
#: A session with a prompt but no stored message counts only if it is the latest of its harness. A session that only
#: backfill has read does not show that the harness is recorded, and one that ended at its first prompt has no log.
CAPTURES = """
SELECT harness, last, empty FROM (SELECT h.harness, h.last, (
         SELECT e.session_key FROM session_readings e
          WHERE e.harness = h.harness AND e.read_at IS NOT NULL AND e.asked_at IS NOT NULL AND e.last_said_at IS NULL
            AND e.asked_at > coalesce(h.last, '') AND (e.log_bytes > 0 OR EXISTS (
                SELECT 1 FROM session_injections i WHERE i.agent_id = e.agent_id AND i.session_key = e.session_key
                   AND i.phase = 'prompt' LIMIT 1 OFFSET 1)) ORDER BY e.asked_at DESC LIMIT 1) AS empty
  FROM (SELECT harness, max(last_said_at) FILTER (WHERE asked_at IS NOT NULL OR NOT EXISTS (
           SELECT 1 FROM backfill_sessions b WHERE b.agent_id = r.agent_id AND b.session_key = r.session_key)) AS last
          FROM session_readings r GROUP BY harness) h)
 WHERE last IS NOT NULL OR empty IS NOT NULL ORDER BY harness"""
UNKNOWN_RECORDS = """
SELECT r.harness, r.version, u.key AS type, sum(u.value) AS records FROM session_readings r, json_each(r.unknown) u
 WHERE r.read_at >= ? GROUP BY r.harness, r.version, u.key ORDER BY records DESC, type LIMIT 50"""
OLD = """
SELECT 1 FROM session_transcripts t WHERE NOT EXISTS (
    SELECT 1 FROM session_readings r WHERE r.agent_id = t.agent_id AND r.session_key = t.session_key AND r.reader >= ?)
 LIMIT 1"""
TRUNCATED = "SELECT count(*) FROM session_readings WHERE shortened > 0 OR left_out > 0"
