CREATE TABLE telemetry_events (
  id TEXT PRIMARY KEY,
  event TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  properties TEXT NOT NULL,       -- JSON, flat
  created_at TEXT NOT NULL
);
CREATE INDEX idx_telemetry_events_event ON telemetry_events (event, timestamp);
CREATE INDEX idx_telemetry_events_timestamp ON telemetry_events (timestamp);

-- Bookkeeping of the earlier implementation: kept in files it made, and all its steps count as done (db/migrate.py).
-- Our own version is in signet_schema_version.
CREATE TABLE schema_migrations (
  version INTEGER PRIMARY KEY,
  applied_at TEXT NOT NULL,
  checksum TEXT NOT NULL
);
CREATE TABLE schema_migrations_audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  version INTEGER NOT NULL,
  applied_at TEXT NOT NULL,
  duration_ms INTEGER,
  checksum TEXT
);
