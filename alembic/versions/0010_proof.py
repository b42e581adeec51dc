"""Add each memory's rank without and with learning, and the start of the comparison."""

from alembic import op

revision = "0010"
down_revision = "0009"

COLUMNS = (
    ("injected_items", "base", "REAL"),
    ("injected_items", "learned", "REAL"),
    ("injected_items", "team", "TEXT"),
    ("predictor_state", "judged_since", "TEXT"),
    ("predictor_state", "last_rollback", "TEXT"),
)


def upgrade() -> None:
    """Add the missing columns."""
    db = op.get_bind()
    for table, name, kind in COLUMNS:
        has = {row[1] for row in db.exec_driver_sql(f"PRAGMA table_info({table})")}
        if name not in has:
            db.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
