"""Background jobs: list, retry, cancel."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.access import EVERY, AccessRule, Permission
from signet.wire.operation import delete, get, post


class Job(TypedDict):
    id: str
    memory_id: str | None
    document_id: str | None
    job_type: str
    #: What the job does.
    says: str
    queue: str
    status: str
    attempt_count: int
    attempts: int
    max_attempts: int
    next_attempt_at: str | None
    last_error: str | None
    last_error_code: str | None
    error: str | None
    result: Any
    leased_at: str | None
    completed_at: str | None
    failed_at: str | None
    created_at: str
    updated_at: str


class JobCount(TypedDict):
    key: str
    count: int
    says: str


class Jobs(TypedDict):
    """Jobs, latest change first; `next` is the cursor of the next page, null on the last.

    `total` counts the matching jobs. `facets` counts by status, kind, queue and code (of dead jobs), each without its
    own filter.
    """

    jobs: list[Job]
    count: int
    next: str | None
    total: NotRequired[int]
    facets: NotRequired[dict[str, list[JobCount]]]


class WholeJob(Job):
    """One job with all fields; `errors` are its last five."""

    priority: int
    agent_id: str | None
    parent_id: str | None
    payload: Any
    errors: Sequence[Any]
    runs_total: int
    crashes: int
    lease_owner: str | None
    lease_token: int
    cancel_requested: bool
    due_at: str


class ChangedJob(TypedDict):
    success: bool
    id: str
    status: str
    cancelRequested: NotRequired[bool]


class DeletedJob(TypedDict):
    success: bool
    id: str


class ChangedJobs(TypedDict):
    """Jobs that were, or would be, retried or cancelled; `more` if the limit omitted some."""

    success: bool
    affected: int
    ids: list[str]
    more: bool
    dryRun: bool


JOBS = get("/api/jobs", access.JOBS, Jobs)
JOB = get("/api/jobs/{job_id}", access.JOBS, WholeJob)
MEMORY_JOB = get("/api/memory/jobs/{job_id}", AccessRule(Permission.DOCUMENTS, within=EVERY), Job)
RETRY_JOB = post("/api/jobs/{job_id}/retry", access.JOBS_CHANGE, ChangedJob)
CANCEL_JOB = post("/api/jobs/{job_id}/cancel", access.JOBS_CHANGE, ChangedJob)
DELETE_JOB = delete("/api/jobs/{job_id}", access.JOBS_CHANGE, DeletedJob)
RETRY_JOBS = post("/api/jobs/retry", access.JOBS_CHANGE, ChangedJobs)
CANCEL_JOBS = post("/api/jobs/cancel", access.JOBS_CHANGE, ChangedJobs)
