"""SQL of diagnostics: counts of other tables, no writes."""

from signet.db import dialect
from signet.db.dialect import LIST, by_index
from signet.domain.memory.filters import EQUAL
from signet.queue.kinds import HAS_FAILED, QUEUES
from signet.queue.stats import STALE

#: Only rows of summary_jobs without a mirroring job: the others are counted as jobs.
ALONE = "NOT EXISTS (SELECT 1 FROM memory_jobs j WHERE j.id = s.id)"
#: A job waits from its due time, however old it is.
SINCE = """MIN(CASE WHEN due_ms <= :wall
    THEN MAX(created_at, strftime('%Y-%m-%dT%H:%M:%fZ', due_ms / 1000.0, 'unixepoch')) END)"""
PENDING = f"""
SELECT COUNT(*), {SINCE} FROM memory_jobs
 WHERE status = 'pending' AND queue IN ({", ".join(f"'{name}'" for name in QUEUES)})"""
PENDING_SUMMARIES = f"""
SELECT COUNT(*), {SINCE} FROM summary_jobs s
 WHERE status = 'pending' AND {ALONE}"""
ENDED = f"""
SELECT (SELECT COUNT(*) FROM memory_jobs WHERE status = 'completed' AND completed_at > :since) AS completed,
       (SELECT COUNT(*) FROM memory_jobs WHERE {HAS_FAILED} AND failed_at > :since) AS dead"""
ENDED_SUMMARIES = f"""
SELECT COALESCE(SUM(status = 'done'), 0) AS completed, COALESCE(SUM(status = 'failed'), 0) AS dead
  FROM summary_jobs s WHERE status IN ('done', 'failed') AND updated_at > :since AND {ALONE}"""
DEAD = f"SELECT COUNT(*) FROM memory_jobs WHERE {HAS_FAILED}"
DEAD_SUMMARIES = f"SELECT COUNT(*) FROM summary_jobs s WHERE status = 'failed' AND {ALONE}"
BY_KIND = """
SELECT job_type, status, COUNT(*) AS jobs FROM memory_jobs WHERE status = 'pending' GROUP BY job_type, status
UNION ALL SELECT job_type, status, COUNT(*) FROM memory_jobs WHERE status = 'leased' GROUP BY job_type, status
UNION ALL SELECT job_type, status, COUNT(*) FROM memory_jobs WHERE status = 'dead' GROUP BY job_type, status"""
COUNT_STALE = f"SELECT COUNT(*) FROM memory_jobs WHERE {STALE}"
MEMORIES = f"""
SELECT (SELECT COUNT(*) FROM memories) AS total,
       (SELECT COUNT(*) FROM memories {by_index("idx_memories_deleted_at")} WHERE is_deleted = 1) AS deleted"""
OVERDUE = f"SELECT COUNT(*) FROM memories {by_index('idx_memories_deleted_at')} WHERE is_deleted = 1 AND deleted_at < ?"
#: Uses only indexes; whether a vector matches the current text is the tracker's question (DG-13).
EMBEDDED = """
SELECT COUNT(*) FROM memories m WHERE m.is_deleted = 0
   AND EXISTS (SELECT 1 FROM embeddings e WHERE e.source_type = 'memory' AND e.source_id = m.id)"""
WAITING_FOR_TEXTS = f"SELECT COUNT(*) FROM memory_jobs WHERE status = 'pending' AND queue IN {LIST}"
#: Every process writes the outcomes of its provider calls (domain/analytics); a start of the daemon clears them.
CALLS = "SELECT outcome, error, at FROM provider_outcomes ORDER BY seq DESC LIMIT ?"
MUTATIONS = """
SELECT COALESCE(SUM(event = 'recovered'), 0) AS recovers, COALESCE(SUM(event = 'deleted'), 0) AS deletes
  FROM memory_history WHERE created_at > ?"""
CONNECTORS = """
SELECT COUNT(*) AS connectors, COALESCE(SUM(status = 'syncing'), 0) AS syncing, COUNT(last_error) AS errors,
       MIN(CASE WHEN last_error IS NOT NULL THEN updated_at END) AS oldest FROM connectors"""
FILE = dialect.sql(
    "SELECT file FROM pragma_database_list WHERE name = 'main'", postgres="SELECT NULL AS file"
)
#: This index excludes duplicates: it covers exactly the columns that define equal rows.
NO_DUPLICATES = "idx_memories_content_hash_unique"
DUPLICATES = f"""
SELECT COUNT(*) AS clusters, COALESCE(SUM(copies - 1), 0) AS excess FROM (
    SELECT COUNT(*) AS copies FROM memories
     WHERE is_deleted = 0 AND content_hash IS NOT NULL AND COALESCE(pinned, 0) = 0
       AND COALESCE(manual_override, 0) = 0
     GROUP BY {EQUAL} HAVING COUNT(*) > 1)"""
PREDICTOR = """
SELECT p.cold_start_exited, p.success_rate, p.alpha, p.last_comparison_at,
       (SELECT COUNT(DISTINCT session_key) FROM memory_labels WHERE weight > 0) AS sessions FROM predictor_state p
 ORDER BY agent_id = 'default' DESC, agent_id LIMIT 1"""
