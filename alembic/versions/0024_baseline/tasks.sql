-- Prompts that a person lets a harness run on a schedule.
CREATE TABLE scheduled_tasks (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  prompt TEXT NOT NULL,
  cron_expression TEXT NOT NULL,
  timezone TEXT,                  -- null: that of the daemon
  harness TEXT NOT NULL,
  working_directory TEXT,
  enabled INTEGER NOT NULL DEFAULT 1,
  last_run_at TEXT,
  next_run_at TEXT,
  skill_name TEXT,
  skill_mode TEXT CHECK (skill_mode IN ('inject', 'slash')),
  skip_permissions INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX idx_scheduled_tasks_enabled_next ON scheduled_tasks (enabled, next_run_at);

CREATE TABLE task_runs (
  id TEXT PRIMARY KEY,
  task_id TEXT NOT NULL REFERENCES scheduled_tasks (id) ON DELETE CASCADE,
  status TEXT NOT NULL DEFAULT 'pending',  -- pending, running, completed, failed
  lease_owner TEXT,
  started_at TEXT NOT NULL,
  completed_at TEXT,
  exit_code INTEGER,
  stdout TEXT,
  stderr TEXT,
  error TEXT
);
CREATE INDEX idx_task_runs_task_id ON task_runs (task_id);
CREATE INDEX idx_task_runs_status ON task_runs (status);
