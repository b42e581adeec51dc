"""The statements of maintenance."""

UPKEEP = """
SELECT result FROM memory_jobs WHERE job_type = 'graph_upkeep' AND status = 'completed'
 ORDER BY completed_at DESC LIMIT 1"""

HALTED = "SELECT action FROM repair_runs WHERE halted = 1 ORDER BY action"
USELESS = """
INSERT INTO repair_runs (action, ineffective, halted) VALUES (:action, 1, 1 >= :patience)
ON CONFLICT (action) DO UPDATE SET ineffective = ineffective + 1, halted = ineffective + 1 >= :patience"""
HELPED = "UPDATE repair_runs SET ineffective = 0, halted = 0 WHERE action = ?"
CLEAR = "UPDATE repair_runs SET ineffective = 0, halted = 0 WHERE ineffective > 0 OR halted > 0"
