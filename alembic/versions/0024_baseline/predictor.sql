-- Predictor against baseline, one row per session.
CREATE TABLE predictor_session_comparisons (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_key TEXT NOT NULL,
  predictor_ndcg REAL NOT NULL,
  baseline_ndcg REAL NOT NULL,
  predictor_won INTEGER NOT NULL,
  margin REAL NOT NULL,
  alpha REAL NOT NULL,
  ema_updated INTEGER NOT NULL DEFAULT 0,
  counted INTEGER NOT NULL DEFAULT 1,
  model_version INTEGER,
  focal_entity_id TEXT,
  focal_entity_name TEXT,
  project TEXT,
  candidate_count INTEGER NOT NULL DEFAULT 0,
  traversal_count INTEGER DEFAULT 0,
  constraint_count INTEGER DEFAULT 0,
  scorer_confidence REAL NOT NULL DEFAULT 0,
  success_rate REAL,
  predictor_top_ids TEXT,         -- JSON, as the next two
  baseline_top_ids TEXT,
  relevance_scores TEXT,
  fts_overlap_score REAL,
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_predictor_sessions_unique ON predictor_session_comparisons (agent_id, session_key);
CREATE INDEX idx_predictor_sessions_agent ON predictor_session_comparisons (agent_id, created_at);
CREATE INDEX idx_predictor_sessions_project ON predictor_session_comparisons (agent_id, project);
CREATE INDEX idx_predictor_sessions_entity ON predictor_session_comparisons (agent_id, focal_entity_id);

CREATE TABLE predictor_training_log (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  model_version INTEGER NOT NULL,
  loss REAL,
  sample_count INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  canary_ndcg REAL,
  canary_ndcg_delta REAL,
  canary_score_variance REAL,
  canary_topk_churn REAL,
  accepted INTEGER,
  reason TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX idx_predictor_training_agent ON predictor_training_log (agent_id, created_at);

CREATE TABLE predictor_state (
  agent_id TEXT PRIMARY KEY DEFAULT 'default',
  success_rate REAL DEFAULT 0.5,
  alpha REAL DEFAULT 1.0,
  sessions_after_cold_start INTEGER DEFAULT 0,
  cold_start_exited INTEGER DEFAULT 0,
  last_comparison_at TEXT,
  updated_at TEXT NOT NULL,
  judged_since TEXT,              -- start of the comparison of ranking with and without learning
  last_rollback TEXT
);

-- What each session shows about the memories that it received or could have received, and the totals per memory.
CREATE TABLE memory_labels (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  label REAL NOT NULL CHECK (label BETWEEN -1 AND 1),
  weight REAL NOT NULL CHECK (weight >= 0),
  reason TEXT NOT NULL,
  place TEXT,
  was_given INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key, memory_id)
);
CREATE INDEX idx_memory_labels_memory ON memory_labels (memory_id, agent_id);
CREATE INDEX idx_memory_labels_created ON memory_labels (created_at);

CREATE TABLE memory_worth (
  memory_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  helped INTEGER NOT NULL,
  times INTEGER NOT NULL,
  learned REAL NOT NULL,
  rated REAL NOT NULL,
  PRIMARY KEY (agent_id, memory_id)
);
CREATE INDEX idx_memory_worth_memory ON memory_worth (memory_id);

CREATE TABLE session_outcomes (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  project TEXT,
  is_held_out INTEGER NOT NULL,
  prompts INTEGER NOT NULL,
  corrections INTEGER NOT NULL,
  asked_again INTEGER NOT NULL,
  given INTEGER NOT NULL,
  used INTEGER NOT NULL,
  missed INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  tokens_used INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
);

-- A change number for each agent's totals, so that processes can cache them. Pins and constraints count, too.
CREATE TABLE memory_worth_changes (agent_id TEXT PRIMARY KEY, number INTEGER NOT NULL);
CREATE TRIGGER memory_worth_added AFTER INSERT ON memory_worth BEGIN
    INSERT INTO memory_worth_changes (agent_id, number) VALUES (NEW.agent_id, 1)
    ON CONFLICT (agent_id) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER memory_worth_changed AFTER UPDATE ON memory_worth BEGIN
    INSERT INTO memory_worth_changes (agent_id, number) VALUES (OLD.agent_id, 1)
    ON CONFLICT (agent_id) DO UPDATE SET number = number + 1;
    INSERT INTO memory_worth_changes (agent_id, number) VALUES (NEW.agent_id, 1)
    ON CONFLICT (agent_id) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER memory_worth_removed AFTER DELETE ON memory_worth BEGIN
    INSERT INTO memory_worth_changes (agent_id, number) VALUES (OLD.agent_id, 1)
    ON CONFLICT (agent_id) DO UPDATE SET number = number + 1; END;
CREATE TRIGGER memory_worth_held AFTER UPDATE OF pinned, type ON memories WHEN OLD.pinned IS NOT NEW.pinned OR OLD.type IS NOT NEW.type BEGIN
    UPDATE memory_worth_changes SET number = number + 1
     WHERE agent_id IN (SELECT agent_id FROM memory_worth WHERE memory_id IN (NEW.id)); END;
CREATE TRIGGER memory_worth_constraint_added AFTER INSERT ON entity_attributes WHEN NEW.kind = 'constraint' BEGIN
    UPDATE memory_worth_changes SET number = number + 1
     WHERE agent_id IN (SELECT agent_id FROM memory_worth WHERE memory_id IN (NEW.source_memory_id)); END;
CREATE TRIGGER memory_worth_constraint_changed AFTER UPDATE OF kind, status, source_memory_id ON entity_attributes WHEN 'constraint' IN (OLD.kind, NEW.kind) BEGIN
    UPDATE memory_worth_changes SET number = number + 1
     WHERE agent_id IN (SELECT agent_id FROM memory_worth WHERE memory_id IN (OLD.source_memory_id, NEW.source_memory_id)); END;
CREATE TRIGGER memory_worth_constraint_removed AFTER DELETE ON entity_attributes WHEN OLD.kind = 'constraint' BEGIN
    UPDATE memory_worth_changes SET number = number + 1
     WHERE agent_id IN (SELECT agent_id FROM memory_worth WHERE memory_id IN (OLD.source_memory_id)); END;
