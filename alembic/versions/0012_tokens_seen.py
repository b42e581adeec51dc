"""Add a token's last use."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the column unless a killed upgrade has; null means never."""
    db = op.get_bind()
    if "last_seen_at" not in (row[1] for row in db.exec_driver_sql("PRAGMA table_info(tokens)")):
        db.exec_driver_sql("ALTER TABLE tokens ADD COLUMN last_seen_at TEXT")
