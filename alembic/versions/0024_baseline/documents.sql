CREATE TABLE documents (
  id TEXT PRIMARY KEY,
  source_url TEXT,
  source_type TEXT NOT NULL,
  content_type TEXT,
  content_hash TEXT,
  title TEXT,
  raw_content TEXT,
  status TEXT NOT NULL DEFAULT 'queued',
  error TEXT,
  connector_id TEXT,
  chunk_count INTEGER NOT NULL DEFAULT 0,
  memory_count INTEGER NOT NULL DEFAULT 0,
  metadata_json TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  completed_at TEXT,
  agent_id TEXT NOT NULL DEFAULT 'default',
  source_stamp TEXT               -- what tells one state of the source file from another, when it was last queued
);
CREATE INDEX idx_documents_status ON documents (status);
CREATE INDEX idx_documents_source_url ON documents (source_url);
CREATE INDEX idx_documents_connector_id ON documents (connector_id, source_url);
CREATE INDEX idx_documents_content_hash ON documents (content_hash);
CREATE INDEX idx_documents_agent ON documents (agent_id, created_at);

CREATE TABLE document_memories (
  document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  chunk_index INTEGER,
  PRIMARY KEY (document_id, memory_id)
);
CREATE INDEX idx_document_memories_memory ON document_memories (memory_id);

CREATE TABLE connectors (
  id TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  display_name TEXT,
  config_json TEXT NOT NULL,
  cursor_json TEXT,
  status TEXT NOT NULL DEFAULT 'idle',     -- idle, syncing, error
  last_sync_at TEXT,
  last_error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  agent_id TEXT NOT NULL DEFAULT 'default',  -- whose its documents are
  progress_json TEXT                         -- counts of the sync that runs or ran last
);
CREATE INDEX idx_connectors_provider ON connectors (provider);
CREATE INDEX idx_connectors_agent ON connectors (agent_id);
