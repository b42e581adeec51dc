"""Selecting jobs to retry or cancel, and queues to pause."""

from pydantic import Field, StrictBool, model_validator

from signet.wire.requests.model import Body, Id, Instant, spelled

#: Maximum jobs changed per request.
MAX_JOBS = 500
#: Default number of jobs, without IDs or a limit.
DEFAULT_JOBS = 50


class QueueBody(Body):
    """The queue to pause or resume; none means all."""

    queue: str | None = None


class JobsBody(Body):
    """A selection of jobs; `dryRun` changes nothing. Selecting every job requires `all`."""

    ids: list[Id] | None = Field(None, min_length=1, max_length=MAX_JOBS)
    kind: str | None = spelled("kind", "job_type", "jobType")
    code: str | None = None
    memory_id: str | None = spelled("memory_id", "memoryId")
    document_id: str | None = spelled("document_id", "documentId")
    since: Instant | None = None
    until: Instant | None = None
    all: StrictBool = False
    limit: int | None = Field(None, ge=1, le=MAX_JOBS)
    dry_run: StrictBool = spelled("dryRun", "dry_run", default=False)

    @property
    def size(self) -> int:
        """Return the maximum number of jobs to change: all IDs, unless the limit is lower."""
        return self.limit or len(self.ids or ()) or DEFAULT_JOBS

    @model_validator(mode="after")
    def _says_which(self) -> "JobsBody":
        chosen = (self.ids, self.kind, self.code, self.memory_id, self.document_id)
        if not self.all and not any((*chosen, self.since, self.until)):
            raise ValueError(
                "choose the jobs: ids, kind, code, memory_id, document_id, since, until, or all"
            )
        return self
