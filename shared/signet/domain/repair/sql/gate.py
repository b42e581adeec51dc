"""SQL of the rate limiter."""

READ = "SELECT last_run_at, window_started_at, runs_in_window FROM repair_runs WHERE action = ?"
NOTE = """
INSERT INTO repair_runs (action, last_run_at, window_started_at, runs_in_window) VALUES (?, ?, ?, ?)
ON CONFLICT (action) DO UPDATE SET last_run_at = excluded.last_run_at,
       window_started_at = excluded.window_started_at, runs_in_window = excluded.runs_in_window"""
HALTED = "SELECT action FROM repair_runs WHERE halted = 1 ORDER BY action"
USELESS = """
INSERT INTO repair_runs (action, ineffective, halted) VALUES (:action, 1, 1 >= :patience)
ON CONFLICT (action) DO UPDATE SET ineffective = ineffective + 1, halted = ineffective + 1 >= :patience"""
HELPED = "UPDATE repair_runs SET ineffective = 0, halted = 0 WHERE action = ?"
CLEAR = "UPDATE repair_runs SET ineffective = 0, halted = 0 WHERE ineffective > 0 OR halted > 0"
