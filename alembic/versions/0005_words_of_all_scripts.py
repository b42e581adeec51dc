"""Full text reads its tables through views that cut Chinese, Japanese and Korean into pairs of characters."""

from pathlib import Path

from alembic import op

revision = "0005"
down_revision = "0004"

SCRIPT = Path(__file__).with_suffix("") / "indexes.sql"


def upgrade() -> None:
    """Make the indexes of full text again, each from its view; a rebuild that was killed has left its own behind."""
    _comment, *statements = SCRIPT.read_text("utf-8").split("\n\n")
    for statement in statements:
        op.get_bind().exec_driver_sql(statement.rstrip().removesuffix(";"))
