"""Allow memories of the same text in two projects."""

from alembic import op

revision = "0023"
down_revision = "0022"

STATEMENTS = (
    "DROP INDEX IF EXISTS idx_memories_content_hash_unique",
    """
    CREATE UNIQUE INDEX IF NOT EXISTS idx_memories_content_hash_unique
      ON memories (content_hash, agent_id, visibility, COALESCE(scope, ''), COALESCE(project, ''))
      WHERE content_hash IS NOT NULL AND is_deleted = 0""",
)


def upgrade() -> None:
    """Rebuild the index with the project."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
