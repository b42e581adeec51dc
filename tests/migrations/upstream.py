"""Files as the earlier TypeScript implementation left them, at four of its versions.

The columns are a fact of that file format; the rows are ours. Each step adds what the versions up to its number
added, as far as later code can tell.
"""

from pathlib import Path

from signet.db.driver import Connection, sqlite

VERSIONS = (2, 8, 30, 43)

_MEMORY = """
  id TEXT PRIMARY KEY, type TEXT NOT NULL DEFAULT 'fact', category TEXT, content TEXT NOT NULL,
  confidence REAL DEFAULT 1.0, importance REAL DEFAULT 0.5, source_id TEXT, source_type TEXT, tags TEXT, who TEXT,
  why TEXT, project TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL DEFAULT 'system', last_accessed TEXT, access_count INTEGER DEFAULT 0,
  vector_clock TEXT NOT NULL DEFAULT '{}', version INTEGER DEFAULT 1, manual_override INTEGER DEFAULT 0,
  pinned INTEGER DEFAULT 0"""

_STEPS = {
    2: f"""
CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, checksum TEXT NOT NULL);
CREATE TABLE conversations (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, harness TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
  summary TEXT, topics TEXT, decisions TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL, vector_clock TEXT NOT NULL DEFAULT '{{}}', version INTEGER DEFAULT 1,
  manual_override INTEGER DEFAULT 0);
CREATE TABLE memories ({_MEMORY});
CREATE TABLE embeddings (
  id TEXT PRIMARY KEY, content_hash TEXT NOT NULL UNIQUE, vector BLOB NOT NULL, dimensions INTEGER NOT NULL,
  source_type TEXT NOT NULL, source_id TEXT NOT NULL, chunk_text TEXT NOT NULL, created_at TEXT NOT NULL);
CREATE INDEX idx_memories_type ON memories (type);
CREATE INDEX idx_embeddings_source ON embeddings (source_type, source_id);
CREATE VIRTUAL TABLE memories_fts USING fts5(content, content=memories, content_rowid=rowid);
CREATE TRIGGER memories_ai AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts (rowid, content) VALUES (new.rowid, new.content);
END;
CREATE TRIGGER memories_bd AFTER DELETE ON memories BEGIN
  INSERT INTO memories_fts (memories_fts, rowid, content) VALUES ('delete', old.rowid, old.content);
END;
CREATE TRIGGER memories_au AFTER UPDATE ON memories BEGIN
  INSERT INTO memories_fts (memories_fts, rowid, content) VALUES ('delete', old.rowid, old.content);
  INSERT INTO memories_fts (rowid, content) VALUES (new.rowid, new.content);
END;
ALTER TABLE memories ADD COLUMN content_hash TEXT;
ALTER TABLE memories ADD COLUMN normalized_content TEXT;
ALTER TABLE memories ADD COLUMN is_deleted INTEGER DEFAULT 0;
ALTER TABLE memories ADD COLUMN deleted_at TEXT;
ALTER TABLE memories ADD COLUMN extraction_status TEXT DEFAULT 'none';
ALTER TABLE memories ADD COLUMN embedding_model TEXT;
ALTER TABLE memories ADD COLUMN extraction_model TEXT;
ALTER TABLE memories ADD COLUMN update_count INTEGER DEFAULT 0;
CREATE TABLE memory_history (
  id TEXT PRIMARY KEY, memory_id TEXT NOT NULL, event TEXT NOT NULL, old_content TEXT, new_content TEXT,
  changed_by TEXT NOT NULL, reason TEXT, metadata TEXT, created_at TEXT NOT NULL,
  FOREIGN KEY (memory_id) REFERENCES memories (id));
CREATE TABLE memory_jobs (
  id TEXT PRIMARY KEY, memory_id TEXT NOT NULL, job_type TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'pending',
  payload TEXT, result TEXT, attempts INTEGER DEFAULT 0, max_attempts INTEGER DEFAULT 3, leased_at TEXT,
  completed_at TEXT, failed_at TEXT, error TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  FOREIGN KEY (memory_id) REFERENCES memories (id));
CREATE TABLE entities (
  id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, entity_type TEXT NOT NULL, description TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE relations (
  id TEXT PRIMARY KEY, source_entity_id TEXT NOT NULL, target_entity_id TEXT NOT NULL,
  relation_type TEXT NOT NULL, strength REAL DEFAULT 1.0, metadata TEXT, created_at TEXT NOT NULL);
CREATE TABLE memory_entity_mentions (memory_id TEXT NOT NULL, entity_id TEXT NOT NULL,
  PRIMARY KEY (memory_id, entity_id));
CREATE INDEX idx_memory_jobs_status ON memory_jobs (status);

INSERT INTO schema_migrations VALUES (2, '2025-01-01T00:00:00.000Z', '-1a2b');
INSERT INTO memories (id, content, content_hash, tags, pinned, created_at, updated_at) VALUES
  ('m1', 'The greenhouse heater runs on propane', 'hash-1', 'garden,heat', 1, '2025-01-01', '2025-01-01'),
  ('m2', 'Seedlings move outdoors in the second week of May', 'hash-2', '["garden"]', 0, '2025-01-02', '2025-01-03'),
  ('gone', 'A row that leaves a gap in the row numbers', NULL, NULL, 0, '2025-01-02', '2025-01-02'),
  ('m3', 'Tomatoes were watered twice', 'hash-3', NULL, 0, '2025-01-04', '2025-01-04');
DELETE FROM memories WHERE id = 'gone';
UPDATE memories SET is_deleted = 1, deleted_at = '2025-02-01' WHERE id = 'm3';
INSERT INTO memory_history (id, memory_id, event, new_content, changed_by, created_at) VALUES
  ('h1', 'm1', 'created', 'The greenhouse heater runs on propane', 'user', '2025-01-01'),
  ('h2', 'system', 'none', NULL, 'daemon', '2025-01-05');
INSERT INTO embeddings VALUES
  ('e1', 'hash-1', zeroblob(16), 4, 'memory', 'm1', 'The greenhouse heater', '2025-01-01'),
  ('e2', 'hash-old', zeroblob(16), 4, 'memory', 'm2', 'An earlier text', '2025-01-01'),
  ('e3', 'hash-2', zeroblob(16), 4, 'memory', 'm2', 'Seedlings move outdoors', '2025-01-03');
INSERT INTO entities VALUES
  ('n1', 'Greenhouse', 'place', NULL, '2025-01-01', '2025-01-01'),
  ('n2', 'greenhouse ', 'place', 'Where seedlings grow', '2025-01-02', '2025-01-02'),
  ('n3', 'Propane', 'thing', NULL, '2025-01-01', '2025-01-01');
INSERT INTO relations (id, source_entity_id, target_entity_id, relation_type, created_at) VALUES
  ('r1', 'n1', 'n3', 'uses', '2025-01-01'), ('r2', 'n2', 'n3', 'uses', '2025-01-02');
INSERT INTO memory_entity_mentions VALUES ('m1', 'n1'), ('m1', 'n2'), ('m2', 'n2');
INSERT INTO memory_jobs (id, memory_id, job_type, status, attempts, leased_at, completed_at, failed_at, error,
    created_at, updated_at) VALUES
  ('j-done', 'm1', 'extract', 'completed', 1, '2025-01-01', '2025-01-01', NULL, NULL, '2025-01-01', '2025-01-01'),
  ('j-undated', 'm1', 'extract', 'completed', 1, NULL, NULL, NULL, NULL, '2025-01-01', '2025-01-01'),
  ('j-open', 'm1', 'extract', 'pending', 0, NULL, NULL, NULL, NULL, '2025-01-02', '2025-01-02'),
  ('j-again', 'm1', 'extract', 'pending', 1, '2025-01-02', NULL, '2025-01-02', 'timeout', '2025-01-02', '2025-01-02'),
  ('j-used-up', 'm2', 'extract', 'pending', 3, NULL, NULL, '2025-01-02', 'no answer', '2025-01-01', '2025-01-02'),
  ('j-leased', 'm2', 'extract', 'leased', 1, '2025-01-02', NULL, NULL, NULL, '2025-01-01', '2025-01-02'),
  ('j-stuck', 'm3', 'extract', 'leased', 3, '2025-01-02', NULL, NULL, NULL, '2025-01-01', '2025-01-02'),
  ('j-failed', 'm2', 'extract', 'failed', 2, NULL, NULL, '2025-01-02', 'refused', '2025-01-01', '2025-01-02'),
  ('j-dead', 'm3', 'extract', 'dead', 3, NULL, NULL, NULL, 'refused', '2025-01-01', '2025-01-02');
""",
    8: """
CREATE UNIQUE INDEX idx_memories_content_hash_unique ON memories (content_hash)
  WHERE content_hash IS NOT NULL AND is_deleted = 0;
ALTER TABLE entities ADD COLUMN canonical_name TEXT;
ALTER TABLE entities ADD COLUMN mentions INTEGER DEFAULT 0;
ALTER TABLE entities ADD COLUMN embedding BLOB;
ALTER TABLE relations ADD COLUMN mentions INTEGER DEFAULT 1;
ALTER TABLE relations ADD COLUMN confidence REAL DEFAULT 0.5;
ALTER TABLE relations ADD COLUMN updated_at TEXT;
ALTER TABLE memory_history ADD COLUMN actor_type TEXT;
ALTER TABLE memories ADD COLUMN idempotency_key TEXT;
ALTER TABLE memories ADD COLUMN runtime_path TEXT;
ALTER TABLE memory_jobs ADD COLUMN document_id TEXT;
CREATE UNIQUE INDEX idx_memories_idempotency_key ON memories (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE TABLE documents (
  id TEXT PRIMARY KEY, source_url TEXT, source_type TEXT NOT NULL, content_type TEXT, content_hash TEXT,
  title TEXT, raw_content TEXT, status TEXT NOT NULL DEFAULT 'queued', error TEXT, connector_id TEXT,
  chunk_count INTEGER NOT NULL DEFAULT 0, memory_count INTEGER NOT NULL DEFAULT 0, metadata_json TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, completed_at TEXT);
CREATE TABLE document_memories (
  document_id TEXT NOT NULL REFERENCES documents (id), memory_id TEXT NOT NULL REFERENCES memories (id),
  chunk_index INTEGER, PRIMARY KEY (document_id, memory_id));
CREATE UNIQUE INDEX idx_embeddings_content_hash_unique ON embeddings (content_hash);

UPDATE entities SET canonical_name = lower(trim(name)), mentions = 2;
INSERT INTO schema_migrations VALUES (8, '2025-02-01T00:00:00.000Z', '77aa');
INSERT INTO documents (id, source_type, raw_content, status, created_at, updated_at)
  VALUES ('d1', 'text', 'A sheet about frost.', 'done', '2025-02-01', '2025-02-01');
INSERT INTO document_memories VALUES ('d1', 'm2', 0);
""",
    30: """
CREATE TABLE summary_jobs (
  id TEXT PRIMARY KEY, session_key TEXT, harness TEXT NOT NULL, project TEXT, transcript TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending', result TEXT, attempts INTEGER DEFAULT 0,
  max_attempts INTEGER DEFAULT 3, created_at TEXT NOT NULL, completed_at TEXT, error TEXT);
CREATE TABLE umap_cache (
  id INTEGER PRIMARY KEY, dimensions INTEGER NOT NULL, embedding_count INTEGER NOT NULL, payload TEXT NOT NULL,
  created_at TEXT NOT NULL);
CREATE TABLE scheduled_tasks (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, prompt TEXT NOT NULL, cron_expression TEXT NOT NULL,
  harness TEXT NOT NULL, working_directory TEXT, enabled INTEGER NOT NULL DEFAULT 1, last_run_at TEXT,
  next_run_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE telemetry_events (
  id TEXT PRIMARY KEY, event TEXT NOT NULL, timestamp TEXT NOT NULL, properties TEXT NOT NULL,
  sent_to_posthog INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
CREATE INDEX idx_telemetry_events_unsent ON telemetry_events (sent_to_posthog) WHERE sent_to_posthog = 0;
ALTER TABLE entities ADD COLUMN agent_id TEXT NOT NULL DEFAULT 'default';
ALTER TABLE entities ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entities ADD COLUMN pinned_at TEXT;
CREATE TABLE entity_aspects (
  id TEXT PRIMARY KEY, entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL DEFAULT 'default', name TEXT NOT NULL, canonical_name TEXT NOT NULL,
  weight REAL NOT NULL DEFAULT 0.5, created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now')), UNIQUE (entity_id, canonical_name));
CREATE TABLE entity_attributes (
  id TEXT PRIMARY KEY, aspect_id TEXT REFERENCES entity_aspects (id) ON DELETE SET NULL,
  agent_id TEXT NOT NULL DEFAULT 'default', memory_id TEXT REFERENCES memories (id) ON DELETE SET NULL,
  kind TEXT NOT NULL, content TEXT NOT NULL, normalized_content TEXT NOT NULL,
  confidence REAL NOT NULL DEFAULT 0.0, importance REAL NOT NULL DEFAULT 0.5,
  status TEXT NOT NULL DEFAULT 'active', superseded_by TEXT,
  created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE TABLE entity_dependencies (
  id TEXT PRIMARY KEY, source_entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  target_entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL DEFAULT 'default', aspect_id TEXT, dependency_type TEXT NOT NULL,
  strength REAL NOT NULL DEFAULT 0.5, created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE TABLE predictor_comparisons (
  id TEXT PRIMARY KEY, session_key TEXT NOT NULL, agent_id TEXT NOT NULL DEFAULT 'default',
  predictor_ndcg REAL NOT NULL, baseline_ndcg REAL NOT NULL, predictor_won INTEGER NOT NULL,
  margin REAL NOT NULL, alpha REAL NOT NULL, ema_updated INTEGER NOT NULL DEFAULT 0, focal_entity_id TEXT,
  focal_entity_name TEXT, project TEXT, candidate_count INTEGER NOT NULL,
  traversal_count INTEGER NOT NULL DEFAULT 0, constraint_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE INDEX idx_predictor_comparisons_agent ON predictor_comparisons (agent_id);
CREATE TABLE predictor_training_pairs (
  id TEXT PRIMARY KEY, agent_id TEXT NOT NULL DEFAULT 'default', session_key TEXT NOT NULL,
  memory_id TEXT NOT NULL, recency_days REAL NOT NULL, access_count INTEGER NOT NULL, importance REAL NOT NULL,
  decay_factor REAL NOT NULL, combined_label REAL NOT NULL, was_injected INTEGER NOT NULL,
  created_at TEXT NOT NULL DEFAULT (datetime('now')));

INSERT INTO schema_migrations VALUES (30, '2025-03-01T00:00:00.000Z', '5c5c');
UPDATE entities SET pinned = 1, pinned_at = '2025-03-01' WHERE id = 'n3';
INSERT INTO summary_jobs (id, session_key, harness, transcript, status, result, attempts, created_at) VALUES
  ('s-done', 'k1', 'codex', 'User: hello', 'completed', 'notes.md', 1, '2025-03-01'),
  ('s-dead', 'k2', 'codex', 'User: hello', 'dead', NULL, 3, '2025-03-01'),
  ('s-stuck', 'k3', 'codex', 'User: hello', 'processing', NULL, 1, '2025-03-01'),
  ('s-open', 'k4', 'codex', 'User: hello', 'pending', NULL, 0, '2025-03-01');
INSERT INTO umap_cache VALUES (1, 2, 3, '[1]', '2025-03-01'), (2, 2, 3, '[2]', '2025-03-02');
INSERT INTO scheduled_tasks (id, name, prompt, cron_expression, harness, created_at, updated_at)
  VALUES ('t1', 'Frost check', 'Will it freeze?', '0 6 * * *', 'codex', '2025-03-01', '2025-03-01');
INSERT INTO telemetry_events VALUES ('v1', 'started', '2025-03-01', '{}', 1, '2025-03-01');
INSERT INTO entity_aspects (id, entity_id, name, canonical_name, created_at, updated_at) VALUES
  ('a1', 'n1', 'Heating', 'heating', '2025-03-01', '2025-03-01'),
  ('a2', 'n2', 'heating', 'heating', '2025-03-02', '2025-03-02');
INSERT INTO memory_jobs (id, memory_id, job_type, payload, created_at, updated_at) VALUES
  ('j-stub', 'm2', 'structural_classify', '{"attribute_id": "x3", "entity_id": "n3"}', '2025-03-01', '2025-03-01'),
  ('j-stub-too', 'm2', 'structural_classify', '{"attribute_id": "x9", "entity_id": "n3"}', '2025-03-01', '2025-03-01');
INSERT INTO entity_attributes (id, aspect_id, memory_id, kind, content, normalized_content, created_at, updated_at)
VALUES
  ('x1', 'a1', 'm1', 'attribute', 'Runs on propane', 'runs on propane', '2025-03-01', '2025-03-01'),
  ('x2', 'a2', 'm2', 'attribute', 'runs on propane', 'runs on propane', '2025-03-02', '2025-03-02'),
  ('x3', NULL, 'm2', 'constraint', 'Never below five degrees', 'never below five degrees', '2025-03-01', '2025-03-01'),
  ('x4', NULL, 'm1', 'attribute', 'Has a glass roof', 'has a glass roof', '2025-03-01', '2025-03-01');
INSERT INTO entity_dependencies (id, source_entity_id, target_entity_id, dependency_type) VALUES
  ('p1', 'n1', 'n3', 'requires'), ('p2', 'n2', 'n3', 'requires'), ('p3', 'n1', 'n2', 'same_as');
INSERT INTO predictor_comparisons (id, session_key, predictor_ndcg, baseline_ndcg, predictor_won, margin, alpha,
    candidate_count) VALUES
  ('c1', 'k1', 0.5, 0.4, 1, 0.1, 0.9, 7), ('c2', 'k1', 0.3, 0.4, 0, 0.1, 0.9, 8);
INSERT INTO predictor_training_pairs (id, session_key, memory_id, recency_days, access_count, importance,
    decay_factor, combined_label, was_injected) VALUES ('q1', 'k1', 'm1', 1.5, 2, 0.5, 0.9, 0.7, 1);
""",
    43: """
ALTER TABLE entity_dependencies ADD COLUMN reason TEXT;
ALTER TABLE entity_dependencies ADD COLUMN confidence REAL DEFAULT 0.7;
CREATE TABLE entity_communities (
  id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, name TEXT, cohesion REAL DEFAULT 0.0,
  member_count INTEGER DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
ALTER TABLE entities ADD COLUMN community_id TEXT REFERENCES entity_communities (id) ON DELETE SET NULL;
CREATE TABLE memory_hints (
  id TEXT PRIMARY KEY, memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
  agent_id TEXT NOT NULL, hint TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (memory_id, hint));
CREATE VIRTUAL TABLE memory_hints_fts USING fts5(hint, content='memory_hints', content_rowid='rowid');
CREATE TABLE session_transcripts (
  session_key TEXT PRIMARY KEY, content TEXT NOT NULL, harness TEXT, project TEXT,
  agent_id TEXT NOT NULL DEFAULT 'default', created_at TEXT NOT NULL);
CREATE TABLE path_notes (id TEXT PRIMARY KEY, memory_id TEXT REFERENCES memories (id), note TEXT);
CREATE VIEW pinned_memories AS SELECT id, content FROM memories WHERE pinned = 1;
CREATE TABLE agents (
  id TEXT PRIMARY KEY, name TEXT, read_policy TEXT NOT NULL DEFAULT 'isolated', policy_group TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
ALTER TABLE memories ADD COLUMN scope TEXT;
ALTER TABLE memories ADD COLUMN agent_id TEXT DEFAULT 'default';
ALTER TABLE memories ADD COLUMN visibility TEXT DEFAULT 'global';
ALTER TABLE memories ADD COLUMN mood TEXT;

INSERT INTO schema_migrations VALUES (43, '2025-04-01T00:00:00.000Z', '4343');
INSERT INTO agents VALUES ('default', 'Gardener', 'shared', NULL, '2025-04-01', '2025-04-01'),
  ('helper', NULL, 'group', 'garden', '2025-04-01', '2025-04-01');
INSERT INTO memory_hints VALUES ('w1', 'm1', 'default', 'What fuel does the heater need?', '2025-04-01');
INSERT INTO session_transcripts VALUES ('k1', 'User: hello', 'codex', NULL, 'default', '2025-04-01');
INSERT INTO path_notes VALUES ('z1', 'm1', 'kept as it is');
UPDATE memories SET mood = 'calm', agent_id = NULL WHERE id = 'm2';
""",
}


def write(path: Path, version: int) -> Connection:
    """Write a file of the given version, in the plain journal mode of old; return its open connection."""
    connection: Connection = sqlite.connect(str(path), isolation_level=None)
    connection.row_factory = sqlite.Row
    connection.execute("PRAGMA synchronous = OFF")
    for step, script in _STEPS.items():
        if step <= version:
            connection.executescript(script)
    return connection
