"""Add the titles, outcomes, decisions and changed files of sessions, for lists."""

from alembic import op

revision = "0024"
down_revision = "0023"

STATEMENT = """
CREATE TABLE IF NOT EXISTS session_overviews (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  title TEXT,
  topic TEXT,
  outcome TEXT,
  decisions TEXT,
  files TEXT,
  PRIMARY KEY (agent_id, session_key)
)"""


def upgrade() -> None:
    """Create the table."""
    op.get_bind().exec_driver_sql(STATEMENT)
