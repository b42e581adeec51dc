"""Health, background jobs and status of the daemon."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from signet.client.answers import (
    ChangedJob,
    ChangedJobs,
    DeletedJob,
    Health,
    Job,
    Paused,
    PipelineStatus,
    Ready,
    Status,
    WholeJob,
)
from signet.client.method import asks
from signet.wire import jobs as wire
from signet.wire import pipeline
from signet.wire import status as standing


class Which(TypedDict, total=False):
    """Select jobs by ID, kind, code of the last error, or `all`; at most `limit`. `dry_run` only lists them."""

    ids: Sequence[str] | None
    kind: str | None
    code: str | None
    all: bool
    limit: int | None
    dry_run: bool


class DaemonCalls:
    """Health, background jobs and status of the daemon."""

    @asks(standing.HEALTH)
    def health(self) -> Health:
        """Return that the daemon answers, without any check."""

    @asks(standing.HEALTH_READY, fixed={"verbose": 1}, accepts=frozenset({503}))
    def ready(self) -> Ready:
        """Return whether the daemon is ready for work, and what is missing."""

    @asks(standing.STATUS)
    def status(self, *, parts: Sequence[str] | None = None) -> Status:
        """Return version, processes, queue, providers and effective settings; a selection of `parts` is faster."""

    @asks(standing.RESOURCES)
    def resources(self) -> standing.Resources:
        """Return memory and processor time of each process, and disk use of each part of the workspace."""

    @asks(standing.FEATURES)
    def features(self) -> dict[str, bool]:
        """Return the feature flags of agent.yaml."""

    @asks(wire.JOBS, pick=lambda found: found["jobs"])
    def jobs(
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        code: str | None = None,
        memory_id: str | None = None,
        document_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 50,
    ) -> list[Job]:
        """Return jobs, latest change first; at most 500.

        `status` may contain several, comma-separated; `code` is of the last error; both times refer to the last
        change.
        """

    @asks(wire.JOBS)
    def all_jobs(
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        code: str | None = None,
        memory_id: str | None = None,
        document_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
        facets: bool = False,
    ) -> wire.Jobs:
        """Return a page of jobs, latest change first; `cursor` is `next` of the previous page.

        `facets` adds totals, and counts by status, kind, queue and code of the last error.
        """

    @asks(wire.JOB)
    def job(self, job_id: str) -> WholeJob:
        """Return one job with its payload, result and last errors; raises NotFound."""

    @asks(wire.RETRY_JOB)
    def retry_job(self, job_id: str) -> ChangedJob:
        """Restart a dead job, or run a waiting one now; raises NotFound or Conflict."""

    @asks(wire.CANCEL_JOB)
    def cancel_job(self, job_id: str) -> ChangedJob:
        """Cancel a job; a running one stops at its next check (`cancelRequested`). Raises NotFound or Conflict."""

    @asks(wire.DELETE_JOB)
    def delete_job(self, job_id: str) -> DeletedJob:
        """Delete an ended job; raises NotFound or Conflict."""

    @asks(wire.RETRY_JOBS)
    def retry_jobs(self, **which: Unpack[Which]) -> ChangedJobs:
        """Restart dead jobs, oldest first: all of `ids`, else `limit` (50 by default, at most 500)."""

    @asks(wire.CANCEL_JOBS)
    def cancel_jobs(self, **which: Unpack[Which]) -> ChangedJobs:
        """Cancel open jobs, oldest first: all of `ids`, else `limit` (50 by default, at most 500)."""

    @asks(pipeline.PIPELINE_STATUS)
    def pipeline_status(self) -> PipelineStatus:
        """Return running, waiting and dead jobs."""

    @asks(pipeline.PAUSE)
    def pause(self, *, queue: str | None = None) -> Paused:
        """Start no jobs until `resume`, in one queue or all; running ones finish."""

    @asks(pipeline.RESUME)
    def resume(self, *, queue: str | None = None) -> Paused:
        """Start jobs again, in one queue or all."""
