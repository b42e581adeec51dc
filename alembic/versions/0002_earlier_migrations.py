"""Tell the earlier TypeScript program that its migrations are done.

It looks into `schema_migrations` and runs every step whose number is missing. On a file of ours those steps would
delete vectors, build `memory_jobs` anew without our columns, and leave a unique index on `embeddings.content_hash`, at
which later vectors fail. Its own rows in an adopted file stay as they are.
"""

from datetime import datetime

from alembic import context, op

from signet import clock

revision = "0002"
down_revision = "0001"

#: The newest step that is known has number 147; those after it would fit our tables no better.
LAST = 400

SEED = f"""
WITH RECURSIVE step (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM step WHERE number < {LAST})
INSERT OR IGNORE INTO schema_migrations (version, applied_at, checksum) SELECT number, ?, 'not-run' FROM step"""


def upgrade() -> None:
    """Write the number of every step that is not there."""
    now: datetime = context.config.attributes["now"]
    op.get_bind().exec_driver_sql(SEED, (clock.to_text(now),))
