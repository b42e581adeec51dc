"""Full text reads its tables through views that cut Chinese, Japanese and Korean into pairs of characters."""

from alembic import op

from signet.domain.repair import fulltext

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the indexes of full text again, each from its view."""
    run = op.get_bind().exec_driver_sql
    for index in fulltext.INDEXES:
        # A rebuild that was killed has left its own behind.
        for prefix in (index.prefix, f"{index.name}_new"):
            for kind in ("ai", "ad", "au", "bd", "bu"):
                run(f"DROP TRIGGER IF EXISTS {prefix}_{kind}")
        for table in (index.name, f"{index.name}_new", f"{index.name}_filled"):
            run(f"DROP TABLE IF EXISTS {table}")
        run(f"DROP VIEW IF EXISTS {index.view}")
        for statement in fulltext.parts(index).values():
            run(statement)
        run(f"INSERT INTO {index.name} ({index.name}) VALUES ('rebuild')")
