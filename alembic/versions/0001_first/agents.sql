CREATE TABLE agents (
  id TEXT PRIMARY KEY,
  name TEXT,
  read_policy TEXT NOT NULL DEFAULT 'isolated',  -- isolated, shared, group
  policy_group TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE agent_feedback (
  id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL DEFAULT 'default',
  memory_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  feedback_type TEXT NOT NULL CHECK (feedback_type IN ('positive', 'negative', 'correction')),
  score REAL CHECK (score BETWEEN -1 AND 1),
  correction_text TEXT,
  actor TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX idx_agent_feedback_agent ON agent_feedback (agent_id);
CREATE INDEX idx_agent_feedback_memory ON agent_feedback (memory_id);
CREATE INDEX idx_agent_feedback_session ON agent_feedback (session_id);

-- Issued tokens, so that one can be revoked without changing the secret.
CREATE TABLE tokens (
  jti TEXT PRIMARY KEY,
  sub TEXT,
  role TEXT,
  scope_json TEXT,
  issued_at TEXT,
  expires_at TEXT,
  revoked_at TEXT
);

-- Which agents work now, and where, so that they can know of each other.
CREATE TABLE agent_presence (
  agent_id TEXT NOT NULL DEFAULT 'default',
  session_key TEXT NOT NULL,
  harness TEXT NOT NULL,
  project TEXT,
  runtime_path TEXT,
  provider TEXT,
  started_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  PRIMARY KEY (agent_id, session_key)
);
CREATE INDEX idx_agent_presence_seen ON agent_presence (seen_at);

-- What agents say to each other, kept for a month and read from the newest back; no index would do less.
CREATE TABLE agent_messages (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  from_agent_id TEXT NOT NULL,
  from_session_key TEXT,
  to_agent_id TEXT,
  to_session_key TEXT,
  is_broadcast INTEGER NOT NULL DEFAULT 0,
  type TEXT NOT NULL,                      -- assist_request, decision_update, info, question
  via TEXT NOT NULL,                       -- local, acp
  status TEXT NOT NULL,                    -- delivered, failed
  error TEXT,
  created_at TEXT NOT NULL,
  content TEXT NOT NULL
);
