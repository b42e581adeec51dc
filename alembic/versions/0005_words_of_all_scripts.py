"""Full text reads its tables through views that cut Chinese, Japanese and Korean into pairs of characters."""

from alembic import op

from signet.domain.repair import fulltext

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the indexes of full text again, each from its view."""
    run = op.get_bind().exec_driver_sql
    for index in fulltext.INDEXES:
        for kind in ("ai", "ad", "au", "bd", "bu"):
            run(f"DROP TRIGGER IF EXISTS {index.prefix}_{kind}")
        run(f"DROP TABLE IF EXISTS {index.name}")
        run(f"DROP VIEW IF EXISTS {index.view}")
        for statement in fulltext.parts(index).values():
            run(statement)
        run(f"INSERT INTO {index.name} ({index.name}) VALUES ('rebuild')")
