"""Add the table that counts captured messages and unread records per session."""

from alembic import op

revision = "0019"
down_revision = "0018"

STATEMENT = """
CREATE TABLE IF NOT EXISTS session_readings (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  version TEXT,
  messages INTEGER NOT NULL DEFAULT 0,
  unknown TEXT NOT NULL DEFAULT '{}',
  shortened INTEGER NOT NULL DEFAULT 0,
  left_out INTEGER NOT NULL DEFAULT 0,
  asked_at TEXT,
  read_at TEXT,
  last_said_at TEXT,
  log_bytes INTEGER,
  reader INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID"""


def upgrade() -> None:
    """Create the table."""
    op.get_bind().exec_driver_sql(STATEMENT)
