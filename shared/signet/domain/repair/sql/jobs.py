"""SQL of job repairs."""

from signet.domain.repair import choice
from signet.domain.summaries.requests import KIND as SUMMARIZE
from signet.queue.kinds import HAS_FAILED
from signet.queue.stats import STALE as IS_STALE

CHOICE = choice.condition(id="id", kind="job_type", at="{at}", error="error")
DEAD = f"""
SELECT id, job_type, error, failed_at, agent_id FROM memory_jobs WHERE {HAS_FAILED} AND {CHOICE.format(at="failed_at")}
   AND (:lives IS NULL OR runs_total < :lives * max_attempts)
   AND NOT EXISTS (SELECT 1 FROM memory_jobs open WHERE open.dedupe_key = memory_jobs.dedupe_key
                      AND open.status IN ('pending', 'leased'))
 GROUP BY COALESCE(dedupe_key, id)
 ORDER BY job_type = '{SUMMARIZE}', failed_at, id LIMIT :limit"""
ALONE = "NOT EXISTS (SELECT 1 FROM memory_jobs j WHERE j.id = s.id)"
DEAD_SUMMARIES = f"""
SELECT s.id, '{SUMMARIZE}' AS job_type, s.error, s.failed_at, s.agent_id FROM summary_jobs s WHERE status = 'failed'
   AND {choice.condition(id="s.id", kind=f"'{SUMMARIZE}'", at="COALESCE(s.failed_at, s.created_at)", error="s.error")}
   AND {ALONE} ORDER BY s.created_at, s.id LIMIT :limit"""
STALE = f"""
SELECT id, job_type, leased_at, lease_owner, lease_token, attempts, max_attempts, crashes, queue, agent_id
  FROM memory_jobs WHERE {IS_STALE}
   AND {choice.condition(id="id", kind="job_type", at="COALESCE(leased_at, '')")}
 ORDER BY leased_at, id LIMIT :limit"""
STALE_SUMMARIES = f"""
SELECT id FROM summary_jobs s WHERE status = 'processing' AND COALESCE(leased_at, '') < :before AND {ALONE} LIMIT 50"""
ENDED = f"""
SELECT * FROM memory_jobs WHERE status = :status AND {CHOICE} ORDER BY {{at}}, id LIMIT :limit"""
COUNT = f"""
SELECT COUNT(*) FROM (SELECT 1 FROM memory_jobs WHERE status = :status AND {CHOICE} LIMIT :limit)"""
