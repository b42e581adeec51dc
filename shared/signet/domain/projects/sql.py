"""The SQL of projects: `project_folders`, and the columns of all tables that name a project."""

from typing import NamedTuple

from signet.db.dialect import list_of


class FolderRow(NamedTuple):
    """A folder of a machine, its project, and the evidence for other machines; `commits` is JSON."""

    machine: str
    folder: str
    project: str
    remote: str | None
    commits: str


_COLUMNS = "machine, folder, project, remote, commits"
#: The drives of Windows do not tell letters apart by case.
ANY_CASE = "COLLATE NOCASE"
#: This machine knows best what its folders are; of the folders above one the nearest counts.
KNOWN = f"""
SELECT {_COLUMNS} FROM project_folders WHERE folder {{case}} IN {list_of(":folders")}
 ORDER BY machine = :machine DESC, length(folder) DESC"""
PUT = f"""
INSERT INTO project_folders ({_COLUMNS}, seen_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (machine, folder) DO UPDATE
   SET remote = excluded.remote, commits = excluded.commits, seen_at = excluded.seen_at"""
#: Repositories, not their worktrees, that may be the same one.
TWINS = f"""
SELECT {_COLUMNS} FROM project_folders
 WHERE remote IS :remote AND commits <> '[]' AND NOT (machine = :machine AND folder = :folder) ORDER BY seen_at"""
NAMED = f"SELECT {_COLUMNS} FROM project_folders WHERE project = :project"
#: The stored spellings of a plain folder.
IN_ANY_CASE = " UNION ALL ".join(
    f"SELECT project FROM {table} WHERE project = :folder {ANY_CASE}"
    for table in ("memories", "session_transcripts")
)
PROJECTS = "SELECT DISTINCT project FROM project_folders"

#: What names a project: tables and columns. The identity of a project has one owner, which renames it everywhere.
COLUMNS = (
    ("memories", "project"),
    ("memories_cold", "project"),
    ("forgotten_values", "project"),
    ("session_transcripts", "project"),
    ("session_parts", "project"),
    ("session_summaries", "project"),
    ("session_scores", "project"),
    ("session_checkpoints", "project"),
    ("session_checkpoints", "project_normalized"),
    ("session_states", "project"),
    ("session_injections", "project"),
    ("session_outcomes", "project"),
    ("summary_jobs", "project"),
    ("predictor_session_comparisons", "project"),
    ("backfill_sessions", "project"),
    (CHUNKS := "episode_chunks", "project"),
)
USED = " UNION ".join(
    f"SELECT DISTINCT {column} FROM {table} WHERE {column} <> ''" for table, column in COLUMNS
)
#: A commit may be known in both projects; the existing one stays.
DROP_REPEATED = """
DELETE FROM {table} WHERE rowid IN (
  SELECT c.rowid FROM {table} c WHERE c.project = :named AND EXISTS (
    SELECT 1 FROM {table} o
     WHERE (o.agent_id, o.source_type, o.source_id, o.position) = (c.agent_id, c.source_type, c.source_id, c.position)
       AND o.project = :project) LIMIT :most)"""
#: A memory whose text the other project already has stays in its project.
RENAME = """
UPDATE {table} SET {column} = :project
 WHERE rowid IN (SELECT rowid FROM {table} c WHERE {column} = :named {free} LIMIT :most)"""
FREE = """
AND NOT EXISTS (
  SELECT 1 FROM memories o WHERE o.content_hash = c.content_hash AND o.project = :project
     AND o.agent_id = c.agent_id AND o.is_deleted = 0 AND c.is_deleted = 0)"""
