"""Add spaces, the shares by which memories enter and leave them, and the audit log."""

from alembic import op

revision = "0026"
down_revision = "0025"

STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS spaces (
      name TEXT PRIMARY KEY,
      description TEXT NOT NULL DEFAULT '',
      is_reviewed INTEGER NOT NULL DEFAULT 0,
      created_by TEXT NOT NULL,
      created_at TEXT NOT NULL
    )""",
    """
    CREATE TABLE IF NOT EXISTS shares (
      id TEXT PRIMARY KEY,
      memory_id TEXT NOT NULL,
      space TEXT NOT NULL,
      state TEXT NOT NULL,
      agent_id TEXT NOT NULL,
      version INTEGER NOT NULL,
      before TEXT NOT NULL,
      note TEXT,
      shared_by TEXT NOT NULL,
      shared_at TEXT NOT NULL,
      decided_by TEXT,
      decided_at TEXT,
      ended_by TEXT,
      ended_at TEXT
    )""",
    "CREATE INDEX IF NOT EXISTS idx_shares_agent ON shares (agent_id, shared_at)",
    "CREATE INDEX IF NOT EXISTS idx_shares_memory ON shares (memory_id)",
    "CREATE INDEX IF NOT EXISTS idx_shares_space ON shares (space, state, shared_at)",
    """
    CREATE UNIQUE INDEX IF NOT EXISTS idx_shares_open ON shares (memory_id)
      WHERE state IN ('proposed', 'shared')""",
    """
    CREATE TABLE IF NOT EXISTS audit_log (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      actor TEXT NOT NULL,
      key_id TEXT,
      agent TEXT,
      action TEXT NOT NULL,
      operation TEXT,
      space TEXT,
      memory_ids TEXT NOT NULL,
      count INTEGER NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS idx_audit_log_at ON audit_log (at)",
)


def upgrade() -> None:
    """Create the tables and their indexes."""
    connection = op.get_bind()
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
