"""Add episodes: sessions and commits in chunks, with a full-text index, so that prompts find earlier conversations."""

from alembic import op

revision = "0002"
down_revision = "0001"

STATEMENTS = (
    """
    CREATE TABLE IF NOT EXISTS episode_chunks (
      seq INTEGER PRIMARY KEY,
      agent_id TEXT NOT NULL,
      source_type TEXT NOT NULL CHECK (source_type IN ('session', 'commit')),
      source_id TEXT NOT NULL,
      project TEXT NOT NULL,
      position INTEGER NOT NULL,
      content TEXT NOT NULL,
      said_at TEXT NOT NULL,
      model TEXT,
      vector BLOB,
      UNIQUE (agent_id, source_type, source_id, project, position)
    )""",
    "CREATE INDEX IF NOT EXISTS idx_episode_chunks_project ON episode_chunks (source_type, project)",
    """
    CREATE VIRTUAL TABLE IF NOT EXISTS episode_chunks_fts USING fts5 (
      content, content='episode_chunks', content_rowid='seq', tokenize='porter unicode61'
    )""",
    """
    CREATE TRIGGER IF NOT EXISTS episode_chunks_ai AFTER INSERT ON episode_chunks BEGIN
      INSERT INTO episode_chunks_fts (rowid, content) VALUES (new.seq, new.content);
    END""",
    """
    CREATE TRIGGER IF NOT EXISTS episode_chunks_ad AFTER DELETE ON episode_chunks BEGIN
      INSERT INTO episode_chunks_fts (episode_chunks_fts, rowid, content) VALUES ('delete', old.seq, old.content);
    END""",
)


def upgrade() -> None:
    """Create the table; jobs create the chunks of stored sessions."""
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
