"""The daemon: is it well, what does it do in the background."""

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
    """Jobs by id, kind or code of the last error, or `all`; at most `limit`. `dry_run` only tells which."""

    ids: Sequence[str] | None
    kind: str | None
    code: str | None
    all: bool
    limit: int | None
    dry_run: bool


class DaemonCalls:
    """The daemon: is it well, what does it do in the background."""

    @asks(standing.HEALTH)
    def health(self) -> Health:
        """Return that the daemon answers; from its memory, at once."""

    @asks(standing.HEALTH_READY, fixed={"verbose": 1}, accepts=frozenset({503}))
    def ready(self) -> Ready:
        """Return whether everything is there that work needs, and what is missing."""

    @asks(standing.STATUS)
    def status(self, *, parts: Sequence[str] | None = None) -> Status:
        """Return version, processes, queue, providers and settings in force; some `parts` alone are found sooner."""

    @asks(standing.RESOURCES)
    def resources(self) -> standing.Resources:
        """Return memory and processor time of each process, and what each part of the workspace takes on disk."""

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

        `status` may name several, with commas between; `code` is of the last error; both times are of the change.
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
        """Return a page of jobs, latest change first; `cursor` is `next` of another page.

        `facets` adds how many there are in all, and by status, kind, queue and code of the last error.
        """

    @asks(wire.JOB)
    def job(self, job_id: str) -> WholeJob:
        """Return one job with its payload, result and last errors; raises NotFound."""

    @asks(wire.RETRY_JOB)
    def retry_job(self, job_id: str) -> ChangedJob:
        """Give a dead job a fresh start, or let one that waits start now; raises NotFound or Conflict."""

    @asks(wire.CANCEL_JOB)
    def cancel_job(self, job_id: str) -> ChangedJob:
        """End a job; one that runs ends when it next looks up (`cancelRequested`). Raises NotFound or Conflict."""

    @asks(wire.DELETE_JOB)
    def delete_job(self, job_id: str) -> DeletedJob:
        """Delete a job that has ended; raises NotFound or Conflict."""

    @asks(wire.RETRY_JOBS)
    def retry_jobs(self, **which: Unpack[Which]) -> ChangedJobs:
        """Give dead jobs a fresh start, oldest first: all of `ids`, else 50 unless `limit` says more (at most 500)."""

    @asks(wire.CANCEL_JOBS)
    def cancel_jobs(self, **which: Unpack[Which]) -> ChangedJobs:
        """End open jobs, oldest first: all of `ids`, else 50 unless `limit` says more (at most 500)."""

    @asks(pipeline.PIPELINE_STATUS)
    def pipeline_status(self) -> PipelineStatus:
        """Return what runs, what waits and what died."""

    @asks(pipeline.PAUSE)
    def pause(self, *, queue: str | None = None) -> Paused:
        """Let running jobs finish and start none until `resume`, of one queue or of all."""

    @asks(pipeline.RESUME)
    def resume(self, *, queue: str | None = None) -> Paused:
        """Let jobs start again, of one queue or of all."""
