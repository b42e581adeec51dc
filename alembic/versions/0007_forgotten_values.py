"""Add hashes of forgotten, rejected and erased values, to recognize them when they return."""

from alembic import op

revision = "0007"
down_revision = "0006"

STATEMENTS = (
    # `part` 0 is the whole text, the others are its sentences. Rows stay when their memory is purged.
    """
    CREATE TABLE IF NOT EXISTS forgotten_values (
      memory_id TEXT NOT NULL,
      part INTEGER NOT NULL,
      value_hash TEXT NOT NULL,
      agent_id TEXT NOT NULL,
      visibility TEXT NOT NULL,
      scope TEXT,
      project TEXT,
      why TEXT NOT NULL CHECK (why IN ('forgotten', 'rejected', 'erased')),
      label TEXT,
      since TEXT NOT NULL,
      PRIMARY KEY (memory_id, part)
    )""",
    "CREATE INDEX IF NOT EXISTS idx_forgotten_values_hash ON forgotten_values (value_hash)",
    "CREATE INDEX IF NOT EXISTS idx_forgotten_values_agent ON forgotten_values (agent_id, since)",
)


def upgrade() -> None:
    """Create the table; memories forgotten earlier are added at their next use."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
