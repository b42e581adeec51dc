"""The statements of repairs of gate."""

READ = "SELECT last_run_at, window_started_at, runs_in_window FROM repair_runs WHERE action = ?"
NOTE = """
INSERT INTO repair_runs (action, last_run_at, window_started_at, runs_in_window) VALUES (?, ?, ?, ?)
ON CONFLICT (action) DO UPDATE SET last_run_at = excluded.last_run_at,
       window_started_at = excluded.window_started_at, runs_in_window = excluded.runs_in_window"""
