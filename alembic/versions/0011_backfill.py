"""Add the earlier sessions of harnesses to read, and those to skip."""

from alembic import op

revision = "0011"
down_revision = "0010"

STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS backfill_sessions (
      agent_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      harness TEXT NOT NULL,
      path TEXT NOT NULL,
      project TEXT,
      bytes INTEGER NOT NULL,
      changed_at TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('waiting', 'read', 'known', 'failed')),
      by_model INTEGER NOT NULL,
      detail TEXT,
      opening TEXT,
      asked_at TEXT NOT NULL,
      done_at TEXT,
      PRIMARY KEY (agent_id, session_key)
    )""",
    "CREATE INDEX IF NOT EXISTS idx_backfill_sessions_next ON backfill_sessions (state, changed_at)",
    "CREATE INDEX IF NOT EXISTS idx_backfill_sessions_run ON backfill_sessions (asked_at)",
    """
    CREATE TABLE IF NOT EXISTS unkept_sessions (
      agent_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      since TEXT NOT NULL,
      PRIMARY KEY (agent_id, session_key)
    )""",
)


def upgrade() -> None:
    """Create the tables."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
