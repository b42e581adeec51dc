-- Who is running and what they share. All but runtime_settings, queue_control, beats and repair_runs may be
-- emptied at daemon start.
CREATE TABLE processes (
  owner TEXT PRIMARY KEY,         -- the lease owner of memory_jobs
  kind TEXT NOT NULL,             -- api, worker, scheduler
  pid INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  beat_ms INTEGER NOT NULL,       -- monotonic clock
  lock_inode INTEGER,
  busy INTEGER NOT NULL DEFAULT 0,
  queues TEXT,                    -- JSON
  detail_json TEXT
);

-- One scheduler leads; each change of leader raises the epoch.
CREATE TABLE scheduler_lease (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  until_ms INTEGER NOT NULL       -- monotonic clock
);

CREATE TABLE beats (
  name TEXT PRIMARY KEY,
  last_run_ms INTEGER NOT NULL,   -- wall clock
  last_slot TEXT
);

CREATE TABLE provider_breakers (
  provider TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('closed', 'open', 'half_open')),
  failures INTEGER NOT NULL DEFAULT 0,
  retry_at_ms INTEGER,            -- wall clock
  probe TEXT,                     -- the job that has gone to see, while half open
  updated_at TEXT NOT NULL
);

CREATE TABLE provider_usage (
  provider TEXT NOT NULL,
  hour TEXT NOT NULL,             -- UTC, as 2026-05-01T13
  calls INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (provider, hour)
) WITHOUT ROWID;

CREATE TABLE queue_control (
  name TEXT PRIMARY KEY,
  paused INTEGER NOT NULL DEFAULT 0,
  updated_at TEXT NOT NULL,
  updated_by TEXT
);

CREATE TABLE runtime_settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE provider_outcomes (
  seq INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('llm', 'embedding')),
  outcome TEXT NOT NULL CHECK (outcome IN ('success', 'failure', 'timeout')),
  error TEXT,
  at TEXT NOT NULL
);

CREATE TABLE error_events (
  seq INTEGER PRIMARY KEY,
  timestamp TEXT NOT NULL,
  stage TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT,
  request_id TEXT,
  memory_id TEXT,
  actor TEXT
);

CREATE TABLE runtime_counters (
  process TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL DEFAULT '',
  value REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (process, boot_id, name, key)
);

CREATE TABLE repair_runs (
  action TEXT PRIMARY KEY,
  last_run_at TEXT,
  window_started_at TEXT,
  runs_in_window INTEGER NOT NULL DEFAULT 0,
  halted INTEGER NOT NULL DEFAULT 0,
  ineffective INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE rate_limit_events (
  key TEXT NOT NULL,
  at INTEGER NOT NULL             -- wall clock, ms
);
CREATE INDEX idx_rate_limit_events_key ON rate_limit_events (key, at);
