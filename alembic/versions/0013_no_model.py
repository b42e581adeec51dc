"""Drop the tables of the trained model: pairs, weights and runs.

Each agent has a change number for the facts about its memories, so that processes can cache them.
"""

from alembic import op

revision = "0013"
down_revision = "0012"

TABLES = ("predictor_training_pairs", "predictor_models", "predictor_comparisons")
COLUMNS = ("last_training_at", "active_version", "crash_count", "disabled_until")
_RAISE = """
    INSERT INTO memory_worth_changes (agent_id, number) VALUES ({}.agent_id, 1)
    ON CONFLICT (agent_id) DO UPDATE SET number = number + 1"""
STATEMENTS = (
    "CREATE TABLE IF NOT EXISTS memory_worth_changes (agent_id TEXT PRIMARY KEY, number INTEGER NOT NULL)",
    *(
        f"CREATE TRIGGER IF NOT EXISTS memory_worth_{name} AFTER {event} ON memory_worth BEGIN {body}; END"
        for name, event, body in (
            ("added", "INSERT", _RAISE.format("NEW")),
            ("changed", "UPDATE", f"{_RAISE.format('OLD')};{_RAISE.format('NEW')}"),
            ("removed", "DELETE", _RAISE.format("OLD")),
        )
    ),
    "INSERT OR IGNORE INTO memory_worth_changes SELECT DISTINCT agent_id, 1 FROM memory_worth",
)


def upgrade() -> None:
    """Drop the tables (a copy of the file from before the upgrade has them), and count changes."""
    db = op.get_bind()
    for statement in STATEMENTS:
        db.exec_driver_sql(statement)
    for table in TABLES:
        db.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
    for row in db.exec_driver_sql("PRAGMA table_info(predictor_state)").fetchall():
        if row[1] in COLUMNS:
            db.exec_driver_sql(f"ALTER TABLE predictor_state DROP COLUMN {row[1]}")
