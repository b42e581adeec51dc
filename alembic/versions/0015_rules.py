"""Index possible standing rules in delivery order, because each prompt reads the first ones."""

from alembic import op

revision = "0015"
down_revision = "0014"

INDEX = """
    CREATE INDEX IF NOT EXISTS idx_memories_rules ON memories (pinned DESC, created_at DESC)
     WHERE is_deleted = 0 AND type IN ('rule', 'constraint', 'correction', 'preference', 'procedural')"""


def upgrade() -> None:
    """Create the index."""
    op.get_bind().exec_driver_sql(INDEX)
