"""What the rows tell of one id. The only SQL of this noun; no content of a memory is read."""

from signet.db import ReadTx, Row

_MEMORY_OF_JOB = "SELECT memory_id FROM memory_jobs WHERE id = ?"
_KINDS = """
SELECT EXISTS (SELECT 1 FROM memory_history WHERE memory_id = :id)
       OR EXISTS (SELECT 1 FROM memories WHERE id = :id) AS memory,
       EXISTS (SELECT 1 FROM memory_history WHERE request_id = :id) AS request,
       EXISTS (SELECT 1 FROM memory_history WHERE session_id = :id)
       OR EXISTS (SELECT 1 FROM session_transcripts WHERE session_key = :id)
       OR EXISTS (SELECT 1 FROM session_checkpoints WHERE session_key = :id)
       OR EXISTS (SELECT 1 FROM session_scores WHERE session_key = :id) AS session"""
_HISTORY = """
SELECT event, changed_by, reason, metadata, created_at, old_content IS NOT NULL AS has_old,
       new_content IS NOT NULL AS has_new
  FROM memory_history WHERE {column} = ? ORDER BY created_at DESC, rowid DESC LIMIT ?"""
_JOBS = """
SELECT id, job_type, status, attempts, error, created_at, leased_at, completed_at, failed_at
  FROM memory_jobs WHERE {column} = ? ORDER BY created_at DESC, rowid DESC LIMIT ?"""
_ERRORS = """
SELECT timestamp, stage, code, message, memory_id, request_id FROM error_events
 WHERE memory_id = :id OR request_id = :id OR instr(message, :id) > 0 ORDER BY seq DESC LIMIT 500"""
_COMPARISONS = """
SELECT predictor_ndcg, baseline_ndcg, predictor_won, margin, alpha, candidate_count, created_at
  FROM predictor_session_comparisons WHERE session_key = ? ORDER BY created_at DESC LIMIT ?"""


def memory_of_job(tx: ReadTx, job_id: str) -> tuple[bool, str | None]:
    """Return whether there is such a job, and the memory that it is about."""
    row = tx.one(_MEMORY_OF_JOB, (job_id,))
    return row is not None, row["memory_id"] if row else None


def kinds(tx: ReadTx, entity_id: str) -> Row:
    """Return whether the id is that of a memory, a request or a session."""
    row = tx.one(_KINDS, {"id": entity_id})
    assert row is not None
    return row


def history(tx: ReadTx, column: str, value: str, limit: int) -> list[Row]:
    """Return the newest changes whose `column` (memory_id, request_id or session_id) is this."""
    return tx.all(_HISTORY.format(column=column), (value, limit))


def jobs(tx: ReadTx, column: str, value: str, limit: int) -> list[Row]:
    """Return the newest jobs whose `column` (id or memory_id) is this."""
    return tx.all(_JOBS.format(column=column), (value, limit))


def errors(tx: ReadTx, entity_id: str) -> list[Row]:
    """Return the errors of a memory or request, and those whose message names the id."""
    return tx.all(_ERRORS, {"id": entity_id})


def comparisons(tx: ReadTx, session_key: str, limit: int) -> list[Row]:
    """Return how the predictor did in a session."""
    return tx.all(_COMPARISONS, (session_key, limit))
