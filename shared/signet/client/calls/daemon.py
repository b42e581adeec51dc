"""The daemon: is it well, what does it do in the background."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from signet.client.answers import (
    ChangedJob,
    ChangedJobs,
    Health,
    Job,
    Paused,
    PipelineStatus,
    Ready,
    Status,
    WholeJob,
)
from signet.client.call import Call, ask, listed
from signet.client.method import method
from signet.wire import jobs as wire
from signet.wire import pipeline, status


class Which(TypedDict, total=False):
    """Jobs by id, kind or code of the last error, or `all`; at most `limit`. `dry_run` only tells which."""

    ids: Sequence[str] | None
    kind: str | None
    code: str | None
    all: bool
    limit: int | None
    dry_run: bool


def _sent(which: Which) -> dict[str, object]:
    return {
        "ids": listed(which.get("ids")),
        "kind": which.get("kind"),
        "code": which.get("code"),
        "limit": which.get("limit"),
        "all": which.get("all", False),
        "dryRun": which.get("dry_run", False),
    }


class DaemonCalls:
    """The daemon: is it well, what does it do in the background."""

    @method
    def health(self) -> Call[Health]:
        """Return that the daemon answers; from its memory, at once."""
        return ask(status.HEALTH)

    @method
    def ready(self) -> Call[Ready]:
        """Return whether everything is there that work needs, and what is missing."""
        return ask(status.HEALTH_READY, accepts=frozenset({503}), verbose=1)

    @method
    def status(self) -> Call[Status]:
        """Return version, processes, queue, providers and settings in force."""
        return ask(status.STATUS)

    @method
    def features(self) -> Call[dict[str, bool]]:
        """Return the feature flags of agent.yaml."""
        return ask(status.FEATURES)

    @method
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
    ) -> Call[list[Job]]:
        """Return jobs, latest change first; at most 500.

        `status` may name several, with commas between; `code` is of the last error; both times are of the change.
        """
        call = ask(
            wire.JOBS,
            status=status,
            kind=kind,
            code=code,
            memory_id=memory_id,
            document_id=document_id,
            since=since,
            until=until,
            limit=limit,
        )
        return call.picking(lambda found: found["jobs"])

    @method
    def job(self, job_id: str) -> Call[WholeJob]:
        """Return one job with its payload, result and last errors; raises NotFound."""
        return ask(wire.JOB, job_id)

    @method
    def retry_job(self, job_id: str) -> Call[ChangedJob]:
        """Give a dead job a fresh start, or let one that waits start now; raises NotFound or Conflict."""
        return ask(wire.RETRY_JOB, job_id, body={})

    @method
    def cancel_job(self, job_id: str) -> Call[ChangedJob]:
        """End a job; one that runs ends when it next looks up (`cancelRequested`). Raises NotFound or Conflict."""
        return ask(wire.CANCEL_JOB, job_id, body={})

    @method
    def retry_jobs(self, **which: Unpack[Which]) -> Call[ChangedJobs]:
        """Give dead jobs a fresh start, oldest first: all of `ids`, else 50 unless `limit` says more (at most 500)."""
        return ask(wire.RETRY_JOBS, body=_sent(which))

    @method
    def cancel_jobs(self, **which: Unpack[Which]) -> Call[ChangedJobs]:
        """End open jobs, oldest first: all of `ids`, else 50 unless `limit` says more (at most 500)."""
        return ask(wire.CANCEL_JOBS, body=_sent(which))

    @method
    def pipeline_status(self) -> Call[PipelineStatus]:
        """Return what runs, what waits and what died."""
        return ask(pipeline.PIPELINE_STATUS)

    @method
    def pause(self) -> Call[Paused]:
        """Let running jobs finish and start none until `resume`."""
        return ask(pipeline.PAUSE, body={})

    @method
    def resume(self) -> Call[Paused]:
        """Let jobs start again."""
        return ask(pipeline.RESUME, body={})
