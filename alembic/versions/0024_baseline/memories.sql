-- What an agent knows. `seq` is the row number that full text points at: an implicit rowid may be
-- renumbered by VACUUM, an explicit one never is.
CREATE TABLE memories (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL DEFAULT 'fact',
  category TEXT,
  content TEXT NOT NULL,
  normalized_content TEXT,
  content_hash TEXT,
  confidence REAL DEFAULT 1.0,
  importance REAL DEFAULT 0.5,
  source_id TEXT,
  source_type TEXT,
  source_path TEXT,
  source_section TEXT,
  ordinal INTEGER,                -- position within the source: neighbours support each other in recall
  tags TEXT,                      -- JSON array; rows of older files may hold a comma list
  who TEXT,
  why TEXT,
  project TEXT,
  session_id TEXT,
  event_at TEXT,                  -- when what the text tells happened
  valid_from TEXT,
  valid_to TEXT,
  superseded_by TEXT,             -- id of the memory that replaced this one
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL DEFAULT 'system',
  last_accessed TEXT,
  access_count INTEGER DEFAULT 0,
  vector_clock TEXT NOT NULL DEFAULT '{}',
  version INTEGER DEFAULT 1,
  manual_override INTEGER DEFAULT 0,
  pinned INTEGER DEFAULT 0,
  is_deleted INTEGER DEFAULT 0,
  deleted_at TEXT,
  extraction_status TEXT DEFAULT 'none',   -- none, pending, completed, failed
  embedding_model TEXT,
  extraction_model TEXT,
  update_count INTEGER DEFAULT 0,
  idempotency_key TEXT,
  runtime_path TEXT,
  scope TEXT,
  agent_id TEXT DEFAULT 'default',
  visibility TEXT DEFAULT 'global',        -- global, private, archived
  origin TEXT,                    -- who wrote the text; null: an agent
  review TEXT                     -- waiting: not injected before a person approves it
);

CREATE UNIQUE INDEX idx_memories_idempotency_key ON memories (idempotency_key, agent_id)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX idx_memories_type ON memories (type);
CREATE INDEX idx_memories_who ON memories (who) WHERE who IS NOT NULL;
CREATE INDEX idx_memories_tags ON memories (tags) WHERE tags IS NOT NULL;
CREATE INDEX idx_memories_category ON memories (category);
CREATE INDEX idx_memories_pinned ON memories (pinned);
CREATE INDEX idx_memories_importance ON memories (importance DESC);
CREATE INDEX idx_memories_created ON memories (created_at DESC);
CREATE INDEX idx_memories_updated ON memories (updated_at DESC);
CREATE INDEX idx_memories_is_deleted ON memories (is_deleted);
CREATE INDEX idx_memories_extraction_status ON memories (extraction_status);
CREATE INDEX idx_memories_deleted_at ON memories (deleted_at) WHERE is_deleted = 1;
CREATE INDEX idx_memories_scope ON memories (scope) WHERE scope IS NOT NULL;
CREATE INDEX idx_memories_agent_id ON memories (agent_id);
CREATE INDEX idx_memories_agent_visibility ON memories (agent_id, visibility);
CREATE INDEX idx_memories_project ON memories (project, created_at) WHERE project IS NOT NULL;
CREATE INDEX idx_memories_source ON memories (source_type, source_id) WHERE is_deleted = 0;
CREATE INDEX idx_memories_event ON memories (event_at) WHERE event_at IS NOT NULL;
CREATE INDEX idx_memories_superseded_by ON memories (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX idx_memories_source_ordinal ON memories (source_id, ordinal) WHERE source_id IS NOT NULL;
CREATE INDEX idx_memories_review ON memories (review) WHERE review IS NOT NULL;
-- Possible standing rules in delivery order: each prompt reads the first ones.
CREATE INDEX idx_memories_rules ON memories (pinned DESC, created_at DESC)
     WHERE is_deleted = 0 AND type IN ('rule', 'constraint', 'correction', 'preference', 'procedural');
CREATE UNIQUE INDEX idx_memories_content_hash_unique
      ON memories (content_hash, agent_id, visibility, COALESCE(scope, ''), COALESCE(project, ''))
      WHERE content_hash IS NOT NULL AND is_deleted = 0;

-- Questions that a memory will answer, found through their own full text.
CREATE TABLE memory_hints (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL DEFAULT 'default',
  hint TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_memory_hints_unique ON memory_hints (memory_id, hint);
CREATE INDEX idx_memory_hints_memory ON memory_hints (memory_id);
CREATE INDEX idx_memory_hints_agent ON memory_hints (agent_id);

-- Every change of a memory. No reference: history outlives its memory, and audit rows name `system`.
CREATE TABLE memory_history (
  id TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL,
  event TEXT NOT NULL,
  old_content TEXT,
  new_content TEXT,
  changed_by TEXT NOT NULL,
  reason TEXT,
  metadata TEXT,                  -- JSON
  created_at TEXT NOT NULL,
  actor_type TEXT,
  session_id TEXT,
  request_id TEXT
);
CREATE INDEX idx_memory_history_memory_id ON memory_history (memory_id, created_at);
CREATE INDEX idx_memory_history_created_at ON memory_history (created_at);

-- Purged memories, kept whole outside recall.
CREATE TABLE memories_cold (
  archive_id TEXT PRIMARY KEY,
  memory_id TEXT NOT NULL,
  type TEXT DEFAULT 'fact',
  category TEXT,
  content TEXT NOT NULL,
  confidence REAL DEFAULT 1.0,
  importance REAL DEFAULT 0.5,
  source_id TEXT,
  source_type TEXT,
  tags TEXT,
  who TEXT,
  why TEXT,
  project TEXT,
  content_hash TEXT,
  normalized_content TEXT,
  extraction_status TEXT,
  embedding_model TEXT,
  extraction_model TEXT,
  update_count INTEGER DEFAULT 0,
  original_created_at TEXT NOT NULL,
  archived_at TEXT NOT NULL,
  archived_reason TEXT,
  cold_source_id TEXT,
  agent_id TEXT NOT NULL DEFAULT 'default',
  original_row_json TEXT
);
CREATE INDEX idx_cold_memory_id ON memories_cold (memory_id);
CREATE INDEX idx_cold_agent ON memories_cold (agent_id);
CREATE INDEX idx_cold_project ON memories_cold (project);
CREATE INDEX idx_cold_archived_at ON memories_cold (archived_at);
CREATE INDEX idx_cold_source ON memories_cold (cold_source_id);

-- Vectors of record: little-endian float32, 4 * dimensions bytes. A long text has several, numbered by
-- `ordinal`. A row is never changed but replaced, and no number is given twice, so whoever has read up to
-- a number finds all that is new behind it (domain/recall/signs.py). The sqlite-vec table beside it follows
-- the configured dimension and is made at start (signet/db/vectors.py).
CREATE TABLE embeddings (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  content_hash TEXT NOT NULL,
  vector BLOB NOT NULL,
  dimensions INTEGER NOT NULL,
  source_type TEXT NOT NULL,      -- memory, skill
  source_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL DEFAULT 0,
  chunk_text TEXT NOT NULL,
  model TEXT,
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_embeddings_source ON embeddings (source_type, source_id, ordinal);
CREATE INDEX idx_embeddings_content_hash ON embeddings (content_hash);

-- Projected maps, one for each question that was asked (the id is its digest); emptied by every change of vectors.
CREATE TABLE umap_cache (
  id INTEGER PRIMARY KEY,
  dimensions INTEGER NOT NULL,
  embedding_count INTEGER NOT NULL,
  result_json TEXT NOT NULL,
  cached_at TEXT NOT NULL
);

-- The newest changes of memories, from which processes update their caches. `token` identifies a restored file that
-- repeats the same numbers; `seq` 0 means every row. A process that missed more reads every row again.
CREATE TABLE memory_changes (
  number INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  is_text INTEGER NOT NULL DEFAULT 1,
  token INTEGER NOT NULL DEFAULT (random())
);
CREATE TRIGGER memory_changes_kept AFTER INSERT ON memory_changes BEGIN
  DELETE FROM memory_changes WHERE number <= new.number - 10000;
END;
CREATE TRIGGER memories_changed_ai AFTER INSERT ON memories BEGIN
  INSERT INTO memory_changes (seq) VALUES (new.seq);
END;
CREATE TRIGGER memories_changed_ad AFTER DELETE ON memories BEGIN
  INSERT INTO memory_changes (seq) VALUES (old.seq);
END;
CREATE TRIGGER memories_changed_text AFTER UPDATE OF content ON memories BEGIN
  INSERT INTO memory_changes (seq) VALUES (new.seq);
END;
-- The columns that ranking reads (domain/recall/columns.py) in addition to the text.
CREATE TRIGGER memories_changed_au AFTER UPDATE OF agent_id, visibility, scope, project, type, who, importance, pinned, created_at, is_deleted,
  deleted_at, superseded_by, source_type, source_id, ordinal ON memories BEGIN
  INSERT INTO memory_changes (seq, is_text) VALUES (new.seq, 0);
END;

-- A memory without a row is its own source. `person`: a person confirmed, changed or restored a derived memory.
CREATE TABLE memory_sources (
  memory_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('memory', 'session', 'person')),
  source_id TEXT NOT NULL,
  PRIMARY KEY (memory_id, kind, source_id)
) WITHOUT ROWID;
CREATE INDEX idx_memory_sources_source ON memory_sources (kind, source_id);

-- Derived memories hidden because of another one (`root_id`).
CREATE TABLE memory_withdrawals (
  memory_id TEXT PRIMARY KEY,
  root_id TEXT NOT NULL,
  why TEXT NOT NULL CHECK (why IN ('forgotten', 'changed')),
  created_at TEXT NOT NULL
);
CREATE INDEX idx_memory_withdrawals_root ON memory_withdrawals (root_id);

-- A trigger, because imports and other programs also add memories.
CREATE TRIGGER memories_derived_ai AFTER INSERT ON memories
WHEN new.source_type IN ('pipeline-v2', 'session_end') AND new.source_id IS NOT NULL BEGIN
  INSERT OR IGNORE INTO memory_sources (memory_id, kind, source_id)
  VALUES (new.id, CASE new.source_type WHEN 'session_end' THEN 'session' ELSE 'memory' END, new.source_id);
END;
CREATE TRIGGER memories_derived_ad AFTER DELETE ON memories BEGIN
  DELETE FROM memory_sources WHERE memory_id = old.id;
  DELETE FROM memory_sources WHERE kind = 'memory' AND source_id = old.id;
  DELETE FROM memory_withdrawals WHERE memory_id = old.id;
END;

-- Statements that are not delivered, as hashes of their words: a row outlives its memory and is unreadable here.
CREATE TABLE withheld_statements (
  memory_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  words TEXT NOT NULL,
  names TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX idx_withheld_statements_agent ON withheld_statements (agent_id);

CREATE TABLE forgotten_sessions (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID;

-- Hashes of forgotten, rejected and erased values, to recognize them when they return. `part` 0 is the whole text, the
-- others are its sentences. Rows stay when their memory is purged.
CREATE TABLE forgotten_values (
  memory_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  value_hash TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  visibility TEXT NOT NULL,
  scope TEXT,
  project TEXT,
  why TEXT NOT NULL CHECK (why IN ('forgotten', 'rejected', 'erased')),
  label TEXT,
  since TEXT NOT NULL,
  PRIMARY KEY (memory_id, part)
);
CREATE INDEX idx_forgotten_values_hash ON forgotten_values (value_hash);
CREATE INDEX idx_forgotten_values_agent ON forgotten_values (agent_id, since);
