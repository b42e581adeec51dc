"""Keep the vectors of chunks in a table of their own, numbered in the order of commits, so that signs can follow it."""

from alembic import op

revision = "0025"
down_revision = "0024"

STATEMENTS = (
    """
    CREATE TABLE chunk_vectors (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      chunk INTEGER NOT NULL UNIQUE,
      model TEXT NOT NULL,
      vector BLOB NOT NULL
    )""",
    """
    INSERT INTO chunk_vectors (chunk, model, vector)
    SELECT seq, model, vector FROM episode_chunks WHERE model IS NOT NULL AND vector IS NOT NULL ORDER BY seq""",
    """
    CREATE TRIGGER episode_chunks_vd AFTER DELETE ON episode_chunks BEGIN
      DELETE FROM chunk_vectors WHERE chunk = old.seq;
    END""",
    "ALTER TABLE episode_chunks DROP COLUMN vector",
    "ALTER TABLE episode_chunks DROP COLUMN model",
)


def upgrade() -> None:
    """Move the vectors."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
