"""${message}."""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """Bring a file of the revision before to this one."""
    op.execute("ALTER TABLE ...")
