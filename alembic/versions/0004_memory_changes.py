"""Add a ring of the newest memory changes, from which processes update their cached columns."""

from alembic import op

revision = "0004"
down_revision = "0003"

#: Stored changes; a process that missed more reads every row again.
KEPT = 10_000

#: Columns of `memories` that ranking reads (domain/recall/columns.py) in addition to the text.
RANKED = """agent_id, visibility, scope, project, type, who, importance, pinned, created_at, is_deleted,
  deleted_at, superseded_by, source_type, source_id, ordinal, access_count, last_accessed"""

STATEMENTS = (
    # `token` identifies a restored file that repeats the same numbers; `seq` 0 means every row.
    """
    CREATE TABLE IF NOT EXISTS memory_changes (
      number INTEGER PRIMARY KEY,
      seq INTEGER NOT NULL,
      is_text INTEGER NOT NULL DEFAULT 1,
      token INTEGER NOT NULL DEFAULT (random())
    )""",
    f"""
    CREATE TRIGGER IF NOT EXISTS memory_changes_kept AFTER INSERT ON memory_changes BEGIN
      DELETE FROM memory_changes WHERE number <= new.number - {KEPT};
    END""",
    """
    CREATE TRIGGER IF NOT EXISTS memories_changed_ai AFTER INSERT ON memories BEGIN
      INSERT INTO memory_changes (seq) VALUES (new.seq);
    END""",
    """
    CREATE TRIGGER IF NOT EXISTS memories_changed_ad AFTER DELETE ON memories BEGIN
      INSERT INTO memory_changes (seq) VALUES (old.seq);
    END""",
    """
    CREATE TRIGGER IF NOT EXISTS memories_changed_text AFTER UPDATE OF content ON memories BEGIN
      INSERT INTO memory_changes (seq) VALUES (new.seq);
    END""",
    f"""
    CREATE TRIGGER IF NOT EXISTS memories_changed_au AFTER UPDATE OF {RANKED} ON memories BEGIN
      INSERT INTO memory_changes (seq, is_text) VALUES (new.seq, 0);
    END""",
)


def upgrade() -> None:
    """Create the table and its triggers."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
