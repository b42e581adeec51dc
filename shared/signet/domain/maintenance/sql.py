"""The statements of maintenance."""

UPKEEP = """
SELECT result FROM memory_jobs WHERE job_type = 'graph_upkeep' AND status = 'completed'
 ORDER BY completed_at DESC LIMIT 1"""
