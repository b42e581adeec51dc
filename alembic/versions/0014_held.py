"""Count changes of pinned memories and constraints too, so that processes can cache them."""

from alembic import op

revision = "0014"
down_revision = "0013"

_RAISE = """
    UPDATE memory_worth_changes SET number = number + 1
     WHERE agent_id IN (SELECT agent_id FROM memory_worth WHERE memory_id IN ({}))"""
_SOURCES = "OLD.source_memory_id, NEW.source_memory_id"
STATEMENTS = tuple(
    f"CREATE TRIGGER IF NOT EXISTS memory_worth_{name} AFTER {event} WHEN {when} BEGIN {_RAISE.format(ids)}; END"
    for name, event, when, ids in (
        (
            "held",
            "UPDATE OF pinned, type ON memories",
            "OLD.pinned IS NOT NEW.pinned OR OLD.type IS NOT NEW.type",
            "NEW.id",
        ),
        (
            "constraint_added",
            "INSERT ON entity_attributes",
            "NEW.kind = 'constraint'",
            "NEW.source_memory_id",
        ),
        (
            "constraint_changed",
            "UPDATE OF kind, status, source_memory_id ON entity_attributes",
            "'constraint' IN (OLD.kind, NEW.kind)",
            _SOURCES,
        ),
        (
            "constraint_removed",
            "DELETE ON entity_attributes",
            "OLD.kind = 'constraint'",
            "OLD.source_memory_id",
        ),
    )
)


def upgrade() -> None:
    """Add the triggers."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
