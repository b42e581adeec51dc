"""Look at jobs."""

from fastapi import APIRouter, Request

from signet import clock
from signet.db import Row
from signet.errors import NotFound
from signet.queue import Status, console
from signet_api.deps import Shared
from signet_api.params import whole

router = APIRouter(tags=["jobs"])


@router.get("/api/memory/jobs/{job_id}")
async def get_job(job_id: str, state: Shared) -> dict[str, object]:
    """Return one job."""
    row = await state.db.aread(console.get, job_id)
    if row is None:
        raise NotFound("Job not found")
    return _job(row)


@router.get("/api/jobs")
async def get_jobs(request: Request, state: Shared) -> dict[str, object]:
    """Return jobs, latest change first; `status` and `kind` narrow them."""
    params = request.query_params
    rows = await state.db.aread(
        console.find,
        status=params.get("status") or None,
        kind=params.get("kind") or None,
        limit=whole(params.get("limit"), 50, low=1, high=500),
    )
    return {"jobs": [_job(row) for row in rows], "count": len(rows)}


def _job(row: Row) -> dict[str, object]:
    waits = row["status"] == Status.PENDING
    return {
        "id": row["id"],
        "memory_id": row["memory_id"],
        "document_id": row["document_id"],
        "job_type": row["job_type"],
        "queue": row["queue"],
        "status": row["status"],
        "attempt_count": row["attempts"],
        "attempts": row["attempts"],
        "max_attempts": row["max_attempts"],
        "next_attempt_at": clock.ms_to_text(row["due_ms"]) if waits else None,
        "last_error": row["error"],
        "last_error_code": row["last_error_code"],
        "error": row["error"],
        "result": row["result"],
        "leased_at": row["leased_at"],
        "completed_at": row["completed_at"],
        "failed_at": row["failed_at"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }
