"""Add the origin of each memory's text, and whether it needs approval before it is injected unasked."""

import re

from alembic import op
from sqlalchemy import Connection

revision = "0008"
down_revision = "0007"

#: Without a default, like all columns that adopted files have and the first revision has not: null means `agent`.
COLUMNS = (
    "ALTER TABLE memories ADD COLUMN origin TEXT",
    "ALTER TABLE memories ADD COLUMN review TEXT",
)
INDEX = (
    "CREATE INDEX IF NOT EXISTS idx_memories_review ON memories (review) WHERE review IS NOT NULL"
)

#: Earlier source types: saved explicitly, and written by harnesses.
SAVED = "coalesce(source_type, '') IN ('', 'manual', 'explicit', 'chunk')"
NOTES = """source_type IN ('session', 'claude-project-memory', 'openclaw-memory-log', 'claude-code', 'codex',
  'opencode', 'openclaw')"""
DISTILLED = "source_type IN ('pipeline-v2', 'session_end')"
STRANGERS = re.compile(
    r"\b(?:(url|web|browser|extension|page|feed|rss|e?mail|crawl)|tool|mcp)", re.I
)
#: The history shows which saves a person requested.
FILLED = (
    "UPDATE memories SET origin = 'agent'",
    f"""
    UPDATE memories SET origin = 'imported'
     WHERE type = 'document_chunk' OR idempotency_key LIKE 'import:%' OR NOT ({SAVED} OR {NOTES} OR {DISTILLED})""",
    """
    UPDATE memories SET origin = 'web' WHERE type = 'document_chunk' AND EXISTS (
      SELECT 1 FROM documents d WHERE d.id = memories.source_id AND d.source_type = 'url')""",
    f"""
    UPDATE memories SET origin = 'user' WHERE origin = 'agent' AND {SAVED} AND type <> 'session_summary' AND EXISTS (
      SELECT 1 FROM memory_history h
       WHERE h.memory_id = memories.id AND h.event = 'created' AND h.changed_by IN ('cli', 'user')
         AND coalesce(h.actor_type, '') NOT IN ('agent', 'harness', 'pipeline'))""",
    f"UPDATE memories SET origin = 'inferred' WHERE {DISTILLED} OR type = 'session_summary'",
)
#: A fact's origin is at most that of its source.
LOWERED = """
    UPDATE memories SET origin = (SELECT p.origin FROM memories p WHERE p.id = memories.source_id)
     WHERE source_type = 'pipeline-v2' AND EXISTS (
       SELECT 1 FROM memories p WHERE p.id = memories.source_id AND p.origin IN ('imported', 'tool', 'web'))"""
#: Instructions from unknown sources wait for approval; an abridged pattern, later versions check more.
ORDERS = re.compile(
    r"(?:^|[.!?:;>*-]|\bplease\b)\s*[\"'“(]?(?:you (?:must|should|have to|need to|are now|will)|do not|don['’]t"
    r"|never|always|ignore"
    r"|disregard|forget|run|execute|call|invoke|use|send|post|open|visit|fetch|download|install|delete|remove|write"
    r"|create"
    r"|add|set|change|update|commit|push|tell|reply|respond|answer|say|act|pretend|remember|make sure|ensure|follow"
    r"|copy)\b",
    re.I | re.M,
)


def upgrade() -> None:
    """Add the columns, and fill them from the existing rows."""
    db = op.get_bind()
    has_columns = "origin" in (row[1] for row in db.exec_driver_sql("PRAGMA table_info(memories)"))
    if not has_columns:  # a file may have lost its number and nothing else
        _fill(db)
    db.exec_driver_sql(INDEX)


def _fill(db: Connection) -> None:
    for statement in COLUMNS + FILLED:
        db.exec_driver_sql(statement)
    kinds = db.exec_driver_sql(
        "SELECT DISTINCT source_type FROM memories WHERE source_type IS NOT NULL"
    ).all()
    for (kind,) in kinds:
        found = STRANGERS.search(kind)
        if found:
            origin = "web" if found[1] else "tool"
            db.exec_driver_sql(
                "UPDATE memories SET origin = ? WHERE source_type = ?", (origin, kind)
            )
    db.exec_driver_sql(LOWERED)
    rows = db.exec_driver_sql(
        "SELECT id, content FROM memories WHERE origin IN ('tool', 'web') AND is_deleted = 0"
        " AND type <> 'document_chunk'"
    ).all()
    for memory_id, content in rows:
        if ORDERS.search(content):
            db.exec_driver_sql("UPDATE memories SET review = 'waiting' WHERE id = ?", (memory_id,))
