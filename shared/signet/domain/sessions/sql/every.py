"""Every known session, running or ended: its state, transcript, injections and summaries."""

from typing import NamedTuple

from signet.db.dialect import list_rows
from signet.db.visibility import OF_AGENT


class SessionRow(NamedTuple):
    """A session: its start, its last activity, and whether it still runs."""

    agent_id: str
    session_key: str
    began: str
    last: str
    harness: str | None
    project: str | None
    is_live: int
    is_bypassed: int


class GivenRow(NamedTuple):
    """A session's injections: prompts, characters, items, and how many of the items it used."""

    agent_id: str
    session_key: str
    prompts: int
    chars: int
    given: int
    used: int


class ProjectRow(NamedTuple):
    """A project, its sessions, and when the latest of them was active."""

    project: str
    sessions: int
    last: str


class KnownRow(NamedTuple):
    """A session of an agent: its project, and its first activity."""

    agent_id: str
    project: str | None
    began: str


_KNOWN_IN = (
    ("session_transcripts", "project", "created_at"),
    ("session_injections", "project", "created_at"),
    ("session_summaries", "project", "earliest_at"),
    ("session_checkpoints", "project", "created_at"),
    ("session_states", "project", "updated_at"),
)
_WHEREVER = " UNION ALL ".join(
    f"SELECT agent_id, {project} AS project, {began} AS began FROM {table} WHERE session_key = :key"
    for table, project, began in _KNOWN_IN
)
#: The agents with data of a session; with `:project`, only those whose session lies wholly in it.
OF_KEY = f"""
SELECT agent_id, max(project) AS project, min(began) AS began FROM ({_WHEREVER})
 WHERE {OF_AGENT} GROUP BY agent_id
HAVING :project IS NULL OR (min(project) = :project AND max(project) = :project) ORDER BY agent_id"""
#: Whether a session used any injected item: 0 for no, NULL if it received none; items not yet judged may be used.
_USES = """
(SELECT max(coalesce(i.used <> 'no', 1)) FROM session_injections s JOIN injected_items i ON i.injection_seq = s.seq
  WHERE s.agent_id = a.agent_id AND s.session_key = a.session_key AND i.is_given = 1 AND i.kind <> 'section')"""
_FILTERS = f"""
 {OF_AGENT} AND (:project IS NULL OR project = :project)
 AND (:harness IS NULL OR harness = :harness)
 AND (:since IS NULL OR last >= :since) AND (:until IS NULL OR began <= :until)
 AND (:use IS NULL OR {_USES} IS CASE :use WHEN 'used_nothing' THEN 0 END)"""
_EVERY = """
WITH known AS (
  SELECT agent_id, session_key, created_at AS began, created_at AS last, harness, project, 0 AS is_live,
         0 AS is_bypassed FROM session_injections
  UNION ALL SELECT agent_id, session_key, created_at, coalesce(updated_at, created_at), harness, project, 0, 0
    FROM session_transcripts
  UNION ALL SELECT agent_id, session_key, coalesce(claimed_at, updated_at), updated_at, harness, project, 1,
         is_bypassed FROM session_states WHERE expires_at > :now),
every AS (
  SELECT agent_id, session_key, min(began) AS began, max(last) AS last, max(nullif(harness, '')) AS harness,
         max(project) AS project, max(is_live) AS is_live, max(is_bypassed) AS is_bypassed
    FROM known GROUP BY agent_id, session_key)"""
PAGE = f"""{_EVERY} SELECT * FROM every a
 WHERE {_FILTERS} AND (:last IS NULL OR (last, agent_id, session_key) < (:last, :last_agent, :last_key))
 ORDER BY last DESC, agent_id DESC, session_key DESC LIMIT :limit"""
PROJECTS = f"""{_EVERY}
SELECT project, count(*) AS sessions, max(last) AS last FROM every
 WHERE {OF_AGENT} AND coalesce(project, '') <> '' AND (:project IS NULL OR project = :project)
 GROUP BY project ORDER BY last DESC, project"""
GIVEN = f"""
WITH named AS (SELECT value ->> 0 AS agent_id, value ->> 1 AS session_key FROM {list_rows(":sessions")})
SELECT n.agent_id, n.session_key,
       (SELECT count(*) FROM session_injections s
         WHERE s.agent_id = n.agent_id AND s.session_key = n.session_key AND s.phase = 'prompt') AS prompts,
       (SELECT coalesce(sum(s.chars), 0) FROM session_injections s
         WHERE s.agent_id = n.agent_id AND s.session_key = n.session_key) AS chars,
       count(i.place) AS given, coalesce(sum(i.used IS NOT NULL AND i.used <> 'no'), 0) AS used
  FROM named n LEFT JOIN session_injections s ON s.agent_id = n.agent_id AND s.session_key = n.session_key
  LEFT JOIN injected_items i ON i.injection_seq = s.seq AND i.is_given = 1 AND i.kind <> 'section'
 GROUP BY n.agent_id, n.session_key"""


class SizeRow(NamedTuple):
    """A stored transcript and its length."""

    rowid: int
    chars: int


class SummaryRow(NamedTuple):
    """A summary of a session."""

    id: str
    content: str


SIZES = f"""
SELECT rowid, length(content) AS chars FROM session_transcripts
 WHERE {OF_AGENT} AND (:but IS NULL OR session_key <> :but)
   AND (:project IS NULL OR project = :project)
 ORDER BY coalesce(updated_at, created_at) DESC LIMIT :most"""
_TRANSCRIPT = "agent_id, session_key, harness, project, created_at, updated_at, content"
BY_ROWID = f"SELECT {_TRANSCRIPT} FROM session_transcripts WHERE rowid = ?"
TRANSCRIPT = f"""
SELECT {_TRANSCRIPT} FROM session_transcripts
 WHERE session_key = :key AND {OF_AGENT} AND (:project IS NULL OR project = :project)
 ORDER BY coalesce(updated_at, created_at) DESC LIMIT 1"""
SUMMARY = """
SELECT id, content FROM session_summaries
 WHERE agent_id = ? AND session_key = ? ORDER BY depth, latest_at DESC LIMIT 1"""
BEGINNINGS = """
SELECT substr(content, 1, ?) FROM session_summaries
 WHERE agent_id = ? AND project = ? AND depth = 0 ORDER BY latest_at DESC LIMIT ?"""
#: Most sessions have no summary. Reading a transcript's last columns means reading past its long text.
BEGAN_AT = """
SELECT created_at FROM session_transcripts WHERE agent_id = :agent AND (:project IS NULL OR project = :project)
 ORDER BY created_at DESC LIMIT 1"""
LAST_AT = """
SELECT max(at) FROM (
  SELECT * FROM (SELECT latest_at AS at FROM session_summaries
   WHERE agent_id = :agent AND depth = 0 AND (:project IS NULL OR project = :project)
   ORDER BY latest_at DESC LIMIT 1)
  UNION ALL
  SELECT * FROM (SELECT created_at AS at FROM session_transcripts
   WHERE agent_id = :agent AND (:project IS NULL OR project = :project)
   ORDER BY created_at DESC LIMIT 1))"""
