-- The durable queue (design: leases with a fencing token). Times that order work are integers: `due_ms` is the
-- wall clock, `lease_until_ms` the machine's monotonic clock.
CREATE TABLE memory_jobs (
  id TEXT PRIMARY KEY,            -- time-ordered: id order is creation order
  memory_id TEXT,
  document_id TEXT,
  job_type TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'leased', 'completed', 'failed', 'dead')),
  payload TEXT,                   -- JSON
  result TEXT,                    -- JSON
  attempts INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL DEFAULT 3,
  leased_at TEXT,
  completed_at TEXT,
  failed_at TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  queue TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 1 CHECK (priority BETWEEN 0 AND 2),
  due_ms INTEGER NOT NULL,
  dedupe_key TEXT,
  lease_owner TEXT,
  lease_token INTEGER NOT NULL DEFAULT 0,  -- +1 per claim, never set back
  lease_until_ms INTEGER,
  crashes INTEGER NOT NULL DEFAULT 0,
  runs_total INTEGER NOT NULL DEFAULT 0,
  last_error_code TEXT,
  errors TEXT,                    -- JSON, the last five
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  agent_id TEXT,
  parent_id TEXT,
  outage_since TEXT,              -- how long the circuit breaker has held the job back, and how often
  outages INTEGER,
  revived_at TEXT,
  CHECK ((status = 'leased') = (lease_owner IS NOT NULL)),
  CHECK ((status = 'leased') = (lease_until_ms IS NOT NULL)),
  CHECK (status <> 'leased' OR lease_token > 0),
  CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((status = 'dead') = (failed_at IS NOT NULL))
);
CREATE INDEX idx_memory_jobs_due ON memory_jobs (queue, priority, due_ms, id) WHERE status = 'pending';
CREATE INDEX idx_memory_jobs_lease_owner ON memory_jobs (lease_owner) WHERE status = 'leased';
CREATE INDEX idx_memory_jobs_lease_until ON memory_jobs (lease_until_ms) WHERE status = 'leased';
CREATE UNIQUE INDEX idx_memory_jobs_dedupe ON memory_jobs (dedupe_key)
  WHERE status IN ('pending', 'leased') AND dedupe_key IS NOT NULL;
CREATE INDEX idx_memory_jobs_completed_at ON memory_jobs (completed_at) WHERE status = 'completed';
CREATE INDEX idx_memory_jobs_completed_kind ON memory_jobs (queue, job_type) WHERE status = 'completed';
CREATE INDEX idx_memory_jobs_failed_at ON memory_jobs (failed_at) WHERE status = 'dead';
CREATE INDEX idx_memory_jobs_memory_id ON memory_jobs (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX idx_memory_jobs_document_id ON memory_jobs (document_id) WHERE document_id IS NOT NULL;

-- What a job was for shows that it died, whoever buried it, and that it lives again.
CREATE TRIGGER memory_jobs_dead AFTER UPDATE OF status ON memory_jobs WHEN NEW.status = 'dead' BEGIN
  UPDATE memories SET extraction_status = 'failed'
    WHERE NEW.job_type = 'extract' AND id = NEW.memory_id AND extraction_status = 'pending';
  UPDATE documents SET status = 'failed', error = NEW.error, updated_at = NEW.updated_at
    WHERE NEW.job_type = 'document_ingest' AND id = NEW.document_id
      AND status NOT IN ('done', 'deleted', 'failed');
  UPDATE connectors SET status = 'error', updated_at = NEW.updated_at,
      last_error = CASE WHEN NEW.last_error_code IN ('crashed', 'lease_expired', 'cancelled')
                     THEN 'sync interrupted' ELSE NEW.error END
    WHERE NEW.dedupe_key = 'connector_sync:' || id AND status = 'syncing';
END;
CREATE TRIGGER memory_jobs_revived AFTER UPDATE OF status ON memory_jobs
  WHEN OLD.status = 'dead' AND NEW.status = 'pending' BEGIN
  UPDATE memories SET extraction_status = 'pending'
    WHERE NEW.job_type = 'extract' AND id = NEW.memory_id AND extraction_status = 'failed';
  UPDATE documents SET status = 'queued', error = NULL, updated_at = NEW.updated_at
    WHERE NEW.job_type = 'document_ingest' AND id = NEW.document_id AND status = 'failed';
  UPDATE connectors SET status = 'syncing', updated_at = NEW.updated_at
    WHERE NEW.dedupe_key = 'connector_sync:' || id;
END;

-- Session ends that wait for their summary: what the job `summarize` of the same id in memory_jobs is for. Its state
-- is that job's state under the names that clients know; nobody else writes it.
CREATE TABLE summary_jobs (
  id TEXT PRIMARY KEY,
  session_id TEXT,                -- the session key
  harness TEXT NOT NULL,
  project TEXT,
  transcript TEXT NOT NULL DEFAULT '',     -- a part of a session; empty: the whole one in session_transcripts
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'done', 'failed')),
  result_path TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL DEFAULT 3,
  created_at TEXT NOT NULL,
  updated_at TEXT,
  leased_at TEXT,
  completed_at TEXT,
  failed_at TEXT,
  error TEXT,
  agent_id TEXT NOT NULL DEFAULT 'default',
  queue TEXT NOT NULL DEFAULT 'llm',
  priority INTEGER NOT NULL DEFAULT 1 CHECK (priority BETWEEN 0 AND 2),
  due_ms INTEGER NOT NULL DEFAULT 0,
  dedupe_key TEXT,
  lease_owner TEXT,
  lease_token INTEGER NOT NULL DEFAULT 0,
  lease_until_ms INTEGER,
  crashes INTEGER NOT NULL DEFAULT 0,
  runs_total INTEGER NOT NULL DEFAULT 0,
  last_error_code TEXT,
  errors TEXT,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  parent_id TEXT,
  CHECK ((status = 'processing') = (lease_owner IS NOT NULL)),
  CHECK ((status = 'processing') = (lease_until_ms IS NOT NULL))
);
CREATE TRIGGER memory_jobs_summary AFTER UPDATE OF status ON memory_jobs WHEN NEW.job_type = 'summarize' BEGIN
  UPDATE summary_jobs SET
      status = CASE NEW.status WHEN 'leased' THEN 'processing' WHEN 'completed' THEN 'done'
                               WHEN 'dead' THEN 'failed' ELSE 'pending' END,
      attempts = NEW.attempts, max_attempts = NEW.max_attempts, updated_at = NEW.updated_at,
      leased_at = NEW.leased_at, completed_at = NEW.completed_at, failed_at = NEW.failed_at, error = NEW.error,
      last_error_code = NEW.last_error_code, due_ms = NEW.due_ms, runs_total = NEW.runs_total,
      lease_owner = NEW.lease_owner, lease_token = NEW.lease_token, lease_until_ms = NEW.lease_until_ms
    WHERE id = NEW.id;
END;
CREATE INDEX idx_summary_jobs_session ON summary_jobs (agent_id, session_id, created_at);
CREATE INDEX idx_summary_jobs_status ON summary_jobs (status, created_at);
CREATE UNIQUE INDEX idx_summary_jobs_dedupe ON summary_jobs (dedupe_key)
  WHERE status IN ('pending', 'processing') AND dedupe_key IS NOT NULL;

-- Imports of files, one row each.
CREATE TABLE ingestion_jobs (
  id TEXT PRIMARY KEY,
  source_path TEXT NOT NULL,
  source_type TEXT NOT NULL,
  file_hash TEXT,
  status TEXT NOT NULL DEFAULT 'pending',
  chunks_total INTEGER DEFAULT 0,
  chunks_processed INTEGER DEFAULT 0,
  memories_created INTEGER DEFAULT 0,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  error TEXT
);
CREATE INDEX idx_ingestion_jobs_status ON ingestion_jobs (status);
CREATE INDEX idx_ingestion_jobs_file_hash ON ingestion_jobs (file_hash);
CREATE INDEX idx_ingestion_jobs_source_path ON ingestion_jobs (source_path);
