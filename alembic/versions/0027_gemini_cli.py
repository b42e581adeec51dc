"""Give sessions of Gemini CLI that backfill read the harness name that hooks use; a row with a twin stays."""

from alembic import op

revision = "0027"
down_revision = "0026"

NAMED = """
SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'harness'"""
RENAME = "UPDATE OR IGNORE {table} SET harness = 'gemini-cli' WHERE harness = 'gemini'"


def upgrade() -> None:
    connection = op.get_bind()
    for (table,) in connection.exec_driver_sql(NAMED).all():
        connection.exec_driver_sql(RENAME.format(table=table))
