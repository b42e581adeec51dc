"""Add the repositories of a session's parts."""

from alembic import op

revision = "0021"
down_revision = "0020"

STATEMENT = """
CREATE TABLE IF NOT EXISTS session_parts (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  since TEXT NOT NULL,
  project TEXT NOT NULL,
  sub_path TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key, since)
)"""


def upgrade() -> None:
    """Create the table."""
    op.get_bind().exec_driver_sql(STATEMENT)
