"""Add what each session shows about the memories that it received or could have received, and the totals per memory."""

from alembic import op

revision = "0009"
down_revision = "0008"

STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS memory_labels (
      agent_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      memory_id TEXT NOT NULL,
      label REAL NOT NULL CHECK (label BETWEEN -1 AND 1),
      weight REAL NOT NULL CHECK (weight >= 0),
      reason TEXT NOT NULL,
      place TEXT,
      was_given INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (agent_id, session_key, memory_id)
    )""",
    "CREATE INDEX IF NOT EXISTS idx_memory_labels_memory ON memory_labels (memory_id, agent_id)",
    "CREATE INDEX IF NOT EXISTS idx_memory_labels_created ON memory_labels (created_at)",
    """
    CREATE TABLE IF NOT EXISTS memory_worth (
      memory_id TEXT NOT NULL,
      agent_id TEXT NOT NULL,
      helped INTEGER NOT NULL,
      times INTEGER NOT NULL,
      learned REAL NOT NULL,
      rated REAL NOT NULL,
      PRIMARY KEY (agent_id, memory_id)
    )""",
    "CREATE INDEX IF NOT EXISTS idx_memory_worth_memory ON memory_worth (memory_id)",
    """
    CREATE TABLE IF NOT EXISTS session_outcomes (
      agent_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      project TEXT,
      is_held_out INTEGER NOT NULL,
      prompts INTEGER NOT NULL,
      corrections INTEGER NOT NULL,
      asked_again INTEGER NOT NULL,
      given INTEGER NOT NULL,
      used INTEGER NOT NULL,
      missed INTEGER NOT NULL,
      tokens INTEGER NOT NULL,
      tokens_used INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (agent_id, session_key)
    )""",
)


def upgrade() -> None:
    """Create the tables."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
