"""Drop the messages between agents and the list of their active sessions."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Drop both tables; `session_states` lists active sessions."""
    for table in ("agent_messages", "agent_presence"):
        op.get_bind().exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
