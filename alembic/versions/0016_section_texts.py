"""Add the texts of session start sections, each wording once."""

from alembic import op

revision = "0016"
down_revision = "0015"

STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS section_texts (
      agent_id TEXT NOT NULL,
      text_hash TEXT NOT NULL,        -- as in injected_items
      content TEXT NOT NULL,
      PRIMARY KEY (agent_id, text_hash)
    )""",
    """
    CREATE INDEX IF NOT EXISTS idx_injected_items_section ON injected_items (text_hash) WHERE kind = 'section'""",
)


def upgrade() -> None:
    """Add the table, and an index of the texts in use."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
