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
  revoked_at TEXT,
  last_seen_at TEXT               -- null: never used
);
