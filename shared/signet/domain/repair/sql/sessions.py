"""SQL of session repairs."""

from signet.domain.repair import choice
from signet.domain.summaries.requests import KIND as SUMMARIZE

#: The newest completed job of a session that has a transcript but no summary.
SKIPPED = f"""
SELECT s.id, s.session_id, s.agent_id, s.completed_at, s.max_attempts, j.result FROM summary_jobs s
  LEFT JOIN memory_jobs j ON j.id = s.id
 WHERE s.status = 'done' AND s.transcript = ''
   AND {choice.condition(id="s.id", at="COALESCE(s.completed_at, s.created_at)")}
   AND EXISTS (SELECT 1 FROM session_transcripts t WHERE t.agent_id = s.agent_id AND t.session_key = s.session_id)
   AND NOT EXISTS (SELECT 1 FROM session_summaries y
                    WHERE y.agent_id = s.agent_id AND y.session_key = s.session_id AND y.depth = 0)
   AND NOT EXISTS (SELECT 1 FROM summary_jobs later WHERE later.agent_id = s.agent_id
                      AND later.session_id = s.session_id AND later.created_at > s.created_at)
   AND NOT EXISTS (SELECT 1 FROM memory_jobs open WHERE open.status IN ('pending', 'leased')
                      AND open.dedupe_key = '{SUMMARIZE}:' || s.agent_id || ':' || s.session_id)
   AND COALESCE(j.result, '') NOT LIKE '%not_significant%'
 ORDER BY s.created_at, s.id LIMIT :limit"""
