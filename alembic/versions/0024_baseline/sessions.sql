CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  harness TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  summary TEXT,
  topics TEXT,
  decisions TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL,
  vector_clock TEXT NOT NULL DEFAULT '{}',
  version INTEGER DEFAULT 1,
  manual_override INTEGER DEFAULT 0
);
CREATE INDEX idx_conversations_session ON conversations (session_id);
CREATE INDEX idx_conversations_harness ON conversations (harness);

CREATE TABLE session_transcripts (
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_key TEXT NOT NULL,
  content TEXT NOT NULL,
  harness TEXT,
  project TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT,
  read_until INTEGER NOT NULL DEFAULT 0,  -- characters that checkpoints have handed on
  PRIMARY KEY (agent_id, session_key)
);
CREATE INDEX idx_session_transcripts_project ON session_transcripts (project);
CREATE INDEX idx_session_transcripts_created ON session_transcripts (created_at);

CREATE TABLE session_summaries (
  id TEXT PRIMARY KEY,
  project TEXT,
  depth INTEGER NOT NULL DEFAULT 0,
  kind TEXT NOT NULL CHECK (kind IN ('session', 'arc', 'epoch')),
  content TEXT NOT NULL,
  token_count INTEGER,
  earliest_at TEXT NOT NULL,
  latest_at TEXT NOT NULL,
  session_key TEXT,
  harness TEXT,
  agent_id TEXT NOT NULL DEFAULT 'default',
  created_at TEXT NOT NULL
);
CREATE UNIQUE INDEX idx_summaries_session_depth ON session_summaries (agent_id, session_key, depth)
  WHERE session_key IS NOT NULL;
CREATE INDEX idx_summaries_project_depth ON session_summaries (project, depth);
CREATE INDEX idx_summaries_kind ON session_summaries (kind);
CREATE INDEX idx_summaries_agent ON session_summaries (agent_id);
CREATE INDEX idx_summaries_latest ON session_summaries (latest_at DESC);
CREATE INDEX idx_summaries_session_key ON session_summaries (session_key);

CREATE TABLE session_summary_children (
  parent_id TEXT NOT NULL REFERENCES session_summaries (id) ON DELETE CASCADE,
  child_id TEXT NOT NULL REFERENCES session_summaries (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  PRIMARY KEY (parent_id, child_id)
);
CREATE INDEX idx_summary_children_child ON session_summary_children (child_id);

CREATE TABLE session_summary_memories (
  summary_id TEXT NOT NULL REFERENCES session_summaries (id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL,        -- no reference: survives the purge
  PRIMARY KEY (summary_id, memory_id)
);

-- What was offered to a session, and how well it served.
CREATE TABLE session_memories (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_key TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  source TEXT NOT NULL DEFAULT 'effective',
  effective_score REAL,
  predictor_score REAL,
  final_score REAL NOT NULL DEFAULT 0,
  rank INTEGER NOT NULL,
  was_injected INTEGER NOT NULL DEFAULT 0,
  relevance_score REAL,
  fts_hit_count INTEGER NOT NULL DEFAULT 0,
  agent_preference TEXT,
  agent_relevance_score REAL,
  agent_feedback_count INTEGER NOT NULL DEFAULT 0,
  entity_slot INTEGER,
  aspect_slot INTEGER,
  is_constraint INTEGER NOT NULL DEFAULT 0,
  structural_density INTEGER,
  predictor_rank INTEGER,
  path_json TEXT,
  created_at TEXT NOT NULL,
  weighed_at TEXT                 -- when feedback has counted it
);
CREATE UNIQUE INDEX idx_session_memories_unique ON session_memories (agent_id, session_key, memory_id);
CREATE INDEX idx_session_memories_memory ON session_memories (memory_id);

CREATE TABLE session_scores (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_key TEXT NOT NULL,
  project TEXT,
  harness TEXT,
  score REAL NOT NULL,
  confidence REAL DEFAULT 0,
  memories_recalled INTEGER,
  memories_used INTEGER,
  novel_context_count INTEGER,
  reasoning TEXT,
  continuity_reasoning TEXT,
  created_at TEXT NOT NULL
);
CREATE INDEX idx_session_scores_project ON session_scores (agent_id, project, created_at);
CREATE INDEX idx_session_scores_session ON session_scores (session_key);

CREATE TABLE session_checkpoints (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  project TEXT,
  project_normalized TEXT,
  trigger TEXT NOT NULL,          -- periodic, pre_compaction, session_end, agent, explicit
  digest TEXT NOT NULL,
  prompt_count INTEGER NOT NULL,
  memory_queries TEXT,            -- JSON, as the next four
  recent_remembers TEXT,
  focal_entity_ids TEXT,
  focal_entity_names TEXT,
  active_aspect_ids TEXT,
  surfaced_constraint_count INTEGER,
  traversal_memory_count INTEGER,
  created_at TEXT NOT NULL
);
CREATE INDEX idx_checkpoints_session ON session_checkpoints (session_key, created_at DESC);
CREATE INDEX idx_checkpoints_project ON session_checkpoints (project_normalized, created_at DESC);
CREATE INDEX idx_checkpoints_agent ON session_checkpoints (agent_id);

-- What is known of a session while it runs: who serves it, what it was told, how far it is. Gone when it ends.
CREATE TABLE session_states (
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  project TEXT,
  runtime_path TEXT,              -- plugin, legacy; null: nobody has claimed it
  claimed_at TEXT,
  expires_at TEXT NOT NULL,       -- of claim and bypass
  is_warned INTEGER NOT NULL DEFAULT 0,
  is_bypassed INTEGER NOT NULL DEFAULT 0,
  is_started INTEGER NOT NULL DEFAULT 0,   -- its first context was given
  injected TEXT NOT NULL DEFAULT '[]',     -- JSON: ids of each of the last turns that were given something
  continuity TEXT,                -- JSON
  updated_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
);
CREATE INDEX idx_session_states_key ON session_states (session_key, updated_at);
CREATE INDEX idx_session_states_updated ON session_states (updated_at);

-- Sessions and commits in chunks with a full-text index, so that prompts find earlier conversations.
CREATE TABLE episode_chunks (
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
);
CREATE INDEX idx_episode_chunks_project ON episode_chunks (source_type, project);

-- What sessions received and omitted, and what they used, without texts.
CREATE TABLE session_injections (
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
);
CREATE INDEX idx_session_injections_session ON session_injections (agent_id, session_key);

CREATE TABLE injected_items (
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
  base REAL,                      -- rank without learning
  learned REAL,                   -- rank with learning
  team TEXT,
  PRIMARY KEY (injection_seq, place)
);
CREATE INDEX idx_injected_items_section ON injected_items (text_hash) WHERE kind = 'section';

CREATE TABLE session_steps (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
);

-- The texts of session start sections, each wording once.
CREATE TABLE section_texts (
  agent_id TEXT NOT NULL,
  text_hash TEXT NOT NULL,        -- as in injected_items
  content TEXT NOT NULL,
  PRIMARY KEY (agent_id, text_hash)
);

-- Earlier sessions of harnesses to read, and those to skip.
CREATE TABLE backfill_sessions (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  path TEXT NOT NULL,
  project TEXT,
  bytes INTEGER NOT NULL,
  changed_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'read', 'known', 'failed')),
  by_model INTEGER NOT NULL,
  detail TEXT,
  opening TEXT,
  asked_at TEXT NOT NULL,
  done_at TEXT,
  PRIMARY KEY (agent_id, session_key)
);
CREATE INDEX idx_backfill_sessions_next ON backfill_sessions (state, changed_at);
CREATE INDEX idx_backfill_sessions_run ON backfill_sessions (asked_at);

CREATE TABLE unkept_sessions (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  since TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
);

-- Captured messages and unread records of each session.
CREATE TABLE session_readings (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  version TEXT,
  messages INTEGER NOT NULL DEFAULT 0,
  unknown TEXT NOT NULL DEFAULT '{}',
  shortened INTEGER NOT NULL DEFAULT 0,
  left_out INTEGER NOT NULL DEFAULT 0,
  asked_at TEXT,
  read_at TEXT,
  last_said_at TEXT,
  log_bytes INTEGER,
  reader INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_id, session_key)
) WITHOUT ROWID;

-- The repositories of a session's parts.
CREATE TABLE session_parts (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  since TEXT NOT NULL,
  project TEXT NOT NULL,
  sub_path TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key, since)
);

-- Titles, outcomes, decisions and changed files of sessions, for lists.
CREATE TABLE session_overviews (
  agent_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  title TEXT,
  topic TEXT,
  outcome TEXT,
  decisions TEXT,
  files TEXT,
  PRIMARY KEY (agent_id, session_key)
);

-- The folders of projects, by machine.
CREATE TABLE project_folders (
  machine TEXT NOT NULL,
  folder TEXT NOT NULL,
  project TEXT NOT NULL,
  remote TEXT,
  commits TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  PRIMARY KEY (machine, folder)
);
CREATE INDEX idx_project_folders_folder ON project_folders (folder);
CREATE INDEX idx_project_folders_remote ON project_folders (remote);
CREATE INDEX idx_project_folders_project ON project_folders (project);
