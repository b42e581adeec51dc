"""Keep the vectors of passages in a separate table, one for each exchange, numbered in the order of commits.

Those of whole passages go: jobs make the new ones.
"""

from alembic import op

revision = "0025"
down_revision = "0024"

STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS chunk_vectors (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      chunk INTEGER NOT NULL,
      model TEXT NOT NULL,
      vector BLOB NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS idx_chunk_vectors_chunk ON chunk_vectors (chunk)",
    """
    CREATE TRIGGER IF NOT EXISTS episode_chunks_vd AFTER DELETE ON episode_chunks BEGIN
      DELETE FROM chunk_vectors WHERE chunk = old.seq;
    END""",
)
COLUMNS = ("vector", "model")


def upgrade() -> None:
    """Create the table and drop the columns that it replaces."""
    connection = op.get_bind()
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    known = {row[1] for row in connection.exec_driver_sql("PRAGMA table_info(episode_chunks)")}
    for column in COLUMNS:
        if column in known:
            connection.exec_driver_sql(f"ALTER TABLE episode_chunks DROP COLUMN {column}")
