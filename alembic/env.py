"""How Alembic reaches the database: over the connection that `signet.db.migrate` hands in.

There is no second way. The file lock, the copy taken before and the single transaction around all pending
revisions live in `signet.db.migrate.upgrade`; `python -m alembic` serves to list and to begin revisions:

    python -m alembic revision --rev-id 0002 -m "what changes"

A revision is plain SQL, imports nothing of the product and is never edited after its release;
`tests/migrations/test_upgrade.py` records what each one makes of an empty file, `test_rehearsal.py` of a filled one.
"""

from alembic import context
from alembic.util import CommandError

connection = context.config.attributes.get("connection")
if connection is None:
    raise CommandError(
        "Run `signet daemon start`, or call signet.db.migrate.upgrade(database, now=...)."
    )

context.configure(connection=connection, version_table="signet_schema_version")
with context.begin_transaction():
    context.run_migrations()
