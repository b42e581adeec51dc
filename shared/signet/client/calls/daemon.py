"""The daemon: is it well, what does it do in the background."""

from signet.client.answers import Health, Job, Paused, PipelineStatus, Ready, Status
from signet.client.call import Call, part, read


def health() -> Call[Health]:
    """Return that the daemon answers; from its memory, at once."""
    return read("/health")


def ready() -> Call[Ready]:
    """Return whether everything is there that work needs, and what is missing."""
    call: Call[Ready] = Call(
        method="GET",
        path="/health/ready",
        params={"verbose": 1},
        is_safe=True,
        accepts=frozenset({503}),
    )
    return call


def status() -> Call[Status]:
    """Return version, processes, queue, providers and settings in force."""
    return read("/api/status")


def features() -> Call[dict[str, bool]]:
    """Return the feature flags of agent.yaml."""
    return read("/api/features")


def jobs(*, status: str | None = None, kind: str | None = None, limit: int = 50) -> Call[list[Job]]:
    """Return jobs, latest change first; at most 500."""
    return read("/api/jobs", pick="jobs", status=status, kind=kind, limit=limit)


def job(job_id: str) -> Call[Job]:
    """Return one job; raises NotFound."""
    return read(f"/api/memory/jobs/{part(job_id)}")


def pipeline_status() -> Call[PipelineStatus]:
    """Return what runs, what waits and what died."""
    return read("/api/pipeline/status")


def pause() -> Call[Paused]:
    """Let running jobs finish and start none until `resume`."""
    return Call(method="POST", path="/api/pipeline/pause", body={})


def resume() -> Call[Paused]:
    """Let jobs start again."""
    return Call(method="POST", path="/api/pipeline/resume", body={})
