"""Drop the messages between agents and the list of their sessions at work."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Drop both tables; `session_states` says which sessions run."""
    for table in ("agent_messages", "agent_presence"):
        op.get_bind().exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
