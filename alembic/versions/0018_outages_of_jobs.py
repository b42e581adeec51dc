"""Move the circuit breaker's notes from job payloads into separate columns."""

from alembic import op

revision = "0018"
down_revision = "0017"

COLUMNS = {
    "outage_since": "TEXT",
    "outages": "INTEGER",  # without a constraint, which a second adoption would lose
    "revived_at": "TEXT",
}
MOVE = """
UPDATE memory_jobs
   SET outage_since = payload ->> '$.outage.since', outages = payload ->> '$.outage.count',
       revived_at = payload ->> '$.revived', payload = json_remove(payload, '$.outage', '$.revived')
 WHERE json_valid(payload) AND COALESCE(payload -> '$.outage', payload -> '$.revived') IS NOT NULL"""


def upgrade() -> None:
    """Add the missing columns and fill them."""
    db = op.get_bind()
    present = {row[1] for row in db.exec_driver_sql("PRAGMA table_info(memory_jobs)")}
    for name, kind in COLUMNS.items():
        if name not in present:
            db.exec_driver_sql(f"ALTER TABLE memory_jobs ADD COLUMN {name} {kind}")
    db.exec_driver_sql(MOVE)
