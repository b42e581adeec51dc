-- Pairs of memories of one session, and which of the two served better.
CREATE TABLE predictor_comparisons (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_id TEXT NOT NULL,
  memory_a_id TEXT NOT NULL,
  memory_b_id TEXT NOT NULL,
  preferred TEXT NOT NULL,
  confidence REAL,
  created_at TEXT NOT NULL,
  CHECK (memory_a_id < memory_b_id),
  CHECK (preferred IN (memory_a_id, memory_b_id))
);
CREATE UNIQUE INDEX idx_predictor_comparisons_unique
  ON predictor_comparisons (agent_id, session_id, memory_a_id, memory_b_id);
CREATE INDEX idx_predictor_comparisons_agent ON predictor_comparisons (agent_id, created_at);

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

CREATE TABLE predictor_training_pairs (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  feature_vector BLOB NOT NULL CHECK (length(feature_vector) = 68),   -- 17 float32
  feature_version INTEGER NOT NULL DEFAULT 1,    -- 0: vector not built, only the columns below hold data
  label REAL NOT NULL,
  created_at TEXT NOT NULL,
  recency_days REAL,
  access_count INTEGER,
  importance REAL,
  decay_factor REAL,
  embedding_similarity REAL,
  entity_slot INTEGER,
  aspect_slot INTEGER,
  is_constraint INTEGER,
  structural_density INTEGER,
  fts_hit_count INTEGER,
  agent_relevance_score REAL,
  continuity_score REAL,
  fts_overlap_score REAL,
  was_injected INTEGER,
  predictor_rank INTEGER,
  baseline_rank INTEGER
);
CREATE UNIQUE INDEX idx_training_pairs_unique ON predictor_training_pairs (agent_id, session_id, memory_id);
CREATE INDEX idx_training_pairs_agent ON predictor_training_pairs (agent_id, created_at);
CREATE INDEX idx_training_pairs_memory ON predictor_training_pairs (memory_id);

CREATE TABLE predictor_models (
  agent_id TEXT NOT NULL DEFAULT 'default',
  version INTEGER NOT NULL,
  weights BLOB NOT NULL,
  checksum TEXT NOT NULL,
  feature_version INTEGER,
  native_dimensions INTEGER,
  trained_at TEXT NOT NULL,
  sample_count INTEGER,
  loss REAL,
  canary_ndcg REAL,
  canary_variance REAL,
  topk_overlap REAL,
  wins INTEGER DEFAULT 0,
  losses INTEGER DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 0,
  retired_reason TEXT,
  PRIMARY KEY (agent_id, version)
);
CREATE UNIQUE INDEX idx_predictor_models_active ON predictor_models (agent_id) WHERE active = 1;

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
  last_training_at TEXT,
  active_version INTEGER,
  crash_count INTEGER DEFAULT 0,
  disabled_until TEXT,
  updated_at TEXT NOT NULL
);
