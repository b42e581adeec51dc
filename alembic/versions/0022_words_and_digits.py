"""Split letters from digits in full text, and index wide characters and emoji as words."""

from pathlib import Path

from alembic import op

revision = "0022"
down_revision = "0021"

SCRIPT = Path(__file__).with_suffix("") / "indexes.sql"


def upgrade() -> None:
    """Rebuild the full-text indexes from their views; drops the remains of a killed rebuild."""
    _comment, *statements = SCRIPT.read_text("utf-8").split("\n\n")
    for statement in statements:
        op.get_bind().exec_driver_sql(statement.rstrip().removesuffix(";"))
