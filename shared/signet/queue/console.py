"""Look after jobs by hand: read, requeue, cancel, pause."""

import json
from datetime import datetime

from signet import clock
from signet.db import ReadTx, Row, WriteTx
from signet.queue.enqueue import DUE

#: One requeue moves at most this many rows (jobs.md §2).
REQUEUE_BATCH = 50

_ONE = "SELECT * FROM memory_jobs WHERE id = ?"
_LIST = """
SELECT * FROM memory_jobs WHERE (:status IS NULL OR status = :status) AND (:kind IS NULL OR job_type = :kind)
 ORDER BY updated_at DESC, id DESC LIMIT :limit"""
_REQUEUE = """
UPDATE memory_jobs
   SET status = 'pending', attempts = 0, crashes = 0, cancel_requested = 0, error = NULL, failed_at = NULL,
       last_error_code = NULL, due_ms = :wall, updated_at = :now
 WHERE id IN (SELECT id FROM memory_jobs WHERE status = 'dead' AND (:kind IS NULL OR job_type = :kind)
                 AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
                 AND NOT EXISTS (SELECT 1 FROM memory_jobs open WHERE open.dedupe_key = memory_jobs.dedupe_key
                                    AND open.status IN ('pending', 'leased'))
               GROUP BY COALESCE(dedupe_key, id) ORDER BY failed_at, id LIMIT :limit)
RETURNING id"""
_CANCEL_PENDING = """
UPDATE memory_jobs SET status = 'dead', failed_at = :now, updated_at = :now, error = 'cancelled',
       last_error_code = 'cancelled' WHERE id = :id AND status = 'pending'"""
_CANCEL_LEASED = "UPDATE memory_jobs SET cancel_requested = 1, updated_at = :now WHERE id = :id AND status = 'leased'"
_PAUSE = """
INSERT INTO queue_control (name, paused, updated_at, updated_by) VALUES ('all', ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET paused = excluded.paused, updated_at = excluded.updated_at,
       updated_by = excluded.updated_by"""
_PAUSED = "SELECT paused FROM queue_control WHERE name = 'all'"


def get(tx: ReadTx, job_id: str) -> Row | None:
    """Return the whole row of one job."""
    return tx.one(_ONE, (job_id,))


def find(
    tx: ReadTx, *, status: str | None = None, kind: str | None = None, limit: int = 50
) -> list[Row]:
    """Return jobs, latest change first."""
    return tx.all(_LIST, {"status": status, "kind": kind, "limit": limit})


def requeue(
    tx: WriteTx,
    *,
    now: datetime,
    kind: str | None = None,
    job_ids: list[str] | None = None,
    limit: int = REQUEUE_BATCH,
) -> list[str]:
    """Give dead jobs a fresh start, oldest first, and return their ids.

    Attempts restart at zero; the token, the number of runs and the past errors stay. A job whose target has
    an open job is left alone.
    """
    rows = tx.all(
        _REQUEUE,
        {
            "kind": kind,
            "ids": None if job_ids is None else json.dumps(job_ids),
            "limit": limit,
            "wall": int(now.timestamp() * 1000),
            "now": clock.to_text(now),
        },
    )
    tx.signal(DUE)
    return [row["id"] for row in rows]


def cancel(tx: WriteTx, job_id: str, *, now: datetime) -> bool:
    """Cancel an open job: a pending one dies now, a running one is asked to stop; False when it is not open."""
    params = {"id": job_id, "now": clock.to_text(now)}
    return tx.run(_CANCEL_PENDING, params) == 1 or tx.run(_CANCEL_LEASED, params) == 1


def pause(tx: WriteTx, paused: bool, *, now: datetime, actor: str) -> None:
    """Stop or continue taking jobs, in all workers, until changed again; running jobs finish."""
    tx.run(_PAUSE, (int(paused), clock.to_text(now), actor))
    tx.signal(DUE)


def is_paused(tx: ReadTx) -> bool:
    """Return whether workers take no jobs."""
    return bool(tx.value(_PAUSED))
