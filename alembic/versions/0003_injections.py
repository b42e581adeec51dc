"""Record what sessions received and omitted, and what they used, without texts."""

from alembic import op

revision = "0003"
down_revision = "0002"

STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS session_injections (
      seq INTEGER PRIMARY KEY,
      agent_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      harness TEXT NOT NULL,
      project TEXT,
      phase TEXT NOT NULL CHECK (phase IN ('start', 'prompt', 'compaction', 'recall')),
      prompt INTEGER NOT NULL,
      prompt_hash TEXT,
      chars INTEGER NOT NULL,
      best_score REAL,
      floor REAL,
      created_at TEXT NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS idx_session_injections_session ON session_injections (agent_id, session_key)",
    """
    CREATE TABLE IF NOT EXISTS injected_items (
      injection_seq INTEGER NOT NULL,
      place INTEGER NOT NULL,
      kind TEXT NOT NULL,
      source_id TEXT NOT NULL,
      is_given INTEGER NOT NULL,
      reason TEXT NOT NULL,
      score REAL,
      said_at TEXT,
      chars INTEGER NOT NULL,
      text_hash TEXT,
      spans TEXT,
      used TEXT,
      used_in TEXT,
      PRIMARY KEY (injection_seq, place)
    )""",
    """
    CREATE TABLE IF NOT EXISTS session_steps (
      agent_id TEXT NOT NULL,
      session_key TEXT NOT NULL,
      content TEXT NOT NULL,
      PRIMARY KEY (agent_id, session_key)
    )""",
)


def upgrade() -> None:
    """Create the tables."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
