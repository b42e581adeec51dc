"""Add the sources of memories, memories hidden with their source, and texts that are not delivered."""

from alembic import op

revision = "0006"
down_revision = "0005"

STATEMENTS = (
    # A memory without a row is its own source. `person`: a person confirmed, changed or restored a derived memory.
    """
    CREATE TABLE IF NOT EXISTS memory_sources (
      memory_id TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('memory', 'session', 'person')),
      source_id TEXT NOT NULL,
      PRIMARY KEY (memory_id, kind, source_id)
    ) WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS idx_memory_sources_source ON memory_sources (kind, source_id)",
    # Derived memories hidden because of another one (`root_id`).
    """
    CREATE TABLE IF NOT EXISTS memory_withdrawals (
      memory_id TEXT PRIMARY KEY,
      root_id TEXT NOT NULL,
      why TEXT NOT NULL CHECK (why IN ('forgotten', 'changed')),
      created_at TEXT NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS idx_memory_withdrawals_root ON memory_withdrawals (root_id)",
    # Identified by hashes of its words, so that it outlives its memory and is unreadable here.
    """
    CREATE TABLE IF NOT EXISTS withheld_statements (
      memory_id TEXT PRIMARY KEY,
      agent_id TEXT NOT NULL,
      words TEXT NOT NULL,
      names TEXT NOT NULL,
      created_at TEXT NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS idx_withheld_statements_agent ON withheld_statements (agent_id)",
    """
    CREATE TABLE IF NOT EXISTS forgotten_sessions (
      agent_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      created_at TEXT NOT NULL,
      PRIMARY KEY (agent_id, session_key)
    ) WITHOUT ROWID""",
    # A trigger, because imports and other programs also add memories.
    """
    CREATE TRIGGER IF NOT EXISTS memories_derived_ai AFTER INSERT ON memories
    WHEN new.source_type IN ('pipeline-v2', 'session_end') AND new.source_id IS NOT NULL BEGIN
      INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
      VALUES (new.id, CASE new.source_type WHEN 'session_end' THEN 'session' ELSE 'memory' END, new.source_id);
    END""",
    """
    CREATE TRIGGER IF NOT EXISTS memories_derived_ad AFTER DELETE ON memories BEGIN
      DELETE FROM memory_sources WHERE memory_id = old.id;
      DELETE FROM memory_sources WHERE kind = 'memory' AND source_id = old.id;
      DELETE FROM memory_withdrawals WHERE memory_id = old.id;
    END""",
    """
    INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
    SELECT id, CASE source_type WHEN 'session_end' THEN 'session' ELSE 'memory' END, source_id
      FROM memories WHERE source_type IN ('pipeline-v2', 'session_end') AND source_id IS NOT NULL""",
    # Facts that were extracted again or replaced an older one have that text as an additional source.
    """
    INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
    SELECT m.id, 'memory', h.memory_id FROM memory_history h
      JOIN memories m ON m.id = coalesce(h.metadata ->> 'dedupedExistingId', h.metadata ->> 'updatedMemoryId')
     WHERE h.event = 'none' AND json_valid(h.metadata) AND m.id <> h.memory_id
       AND EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = m.id)
       AND EXISTS (SELECT 1 FROM memories f WHERE f.id = h.memory_id)""",
    """
    INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
    SELECT h.memory_id, 'person', h.changed_by FROM memory_history h
     WHERE h.event = 'updated' AND h.actor_type IS NOT 'pipeline' AND json_valid(h.metadata)
       AND h.metadata ->> 'supersededBy' IS NULL
       AND EXISTS (SELECT 1 FROM memory_sources s WHERE s.memory_id = h.memory_id)""",
)


def upgrade() -> None:
    """Create the tables, and fill the sources from the rows and history of memories."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
