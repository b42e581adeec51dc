"""Summarise the queue from the daemon's answers. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from signet.client.answers import Job, PipelineStatus

#: Error code of jobs that wait for a provider.
_PROVIDER_DOWN = "provider_down"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Jobs by state.

    `open` jobs run or will run; `waiting` ones need an unreachable provider, named in `reasons`. `completed` and
    `dead` count the whole queue.
    """

    open: int
    waiting: int
    completed: int
    dead: int
    paused: bool
    reasons: tuple[str, ...]


def summed(
    pipeline: PipelineStatus,
    found: Sequence[Job],
    stopped_queues: Mapping[str, object],
    mine: Callable[[Job], bool] | None,
    *,
    is_all: bool,
) -> Work:
    """Return the state of the open jobs selected by `mine`; without it, of all jobs, including those not listed."""
    counts = pipeline["queues"]["memory"]
    wanted = [job for job in found if mine is None or mine(job)]
    waiting = [job for job in wanted if _waits(job, stopped_queues)]
    still = len(wanted) - len(waiting)
    if mine is None and not is_all:
        still = counts["pending"] + counts["leased"] - len(waiting)
    return Work(
        open=max(0, still),
        waiting=len(waiting),
        completed=counts["completed"],
        dead=counts["dead"],
        paused=bool(pipeline["paused"]),
        reasons=tuple(sorted({str(job["error"]) for job in waiting if job["error"]})),
    )


def _waits(job: Job, stopped_queues: Mapping[str, object]) -> bool:
    return job["status"] == "pending" and (
        job["last_error_code"] == _PROVIDER_DOWN or job["queue"] in stopped_queues
    )
