"""Connect Alembic to the database through the connection that `signet.db.migrate` provides.

There is no other way. `signet.db.migrate.upgrade` handles the file lock, the copy before an upgrade and the single
transaction around all pending revisions; `python -m alembic` only lists and creates revisions:

    python -m alembic revision --rev-id 0025 -m "what changes"

A revision is plain SQL, imports nothing from the product and is never changed after its release;
`tests/migrations/test_upgrade.py` records its effect on an empty file, `test_rehearsal.py` on a filled one.
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
