"""Finding communities in the worker: asked for by a person, or by the beat of maintenance (KG-17, KG-18)."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.visibility import Reader
from signet.domain.knowledge import communities
from signet.domain.knowledge.communities import Overview
from signet.queue import NOW, Job, Status, console, enqueue
from signet.queue.held import Run

KIND = "cluster_entities"

_OPEN = "SELECT id FROM memory_jobs WHERE dedupe_key = ? AND status IN ('pending', 'leased')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is, and the communities that are stored."""

    is_done: bool
    overview: Overview
    error: str | None = None


def begin(tx: WriteTx, agent_id: str, *, now: datetime) -> str:
    """Queue a run for one agent and return its job; those who ask while one is open share it."""
    job = Job(kind=KIND, slot=agent_id, agent_id=agent_id, priority=NOW)
    return enqueue(tx, job, now=now) or str(tx.value(_OPEN, (job.dedupe_key,)))


def progress(tx: ReadTx, job_id: str, *, reader: Reader) -> Progress:
    """Return how far the run is; a job that is gone has been done long ago."""
    row = console.get(tx, job_id)
    status = row["status"] if row else Status.COMPLETED
    return Progress(
        is_done=status in (Status.COMPLETED, Status.DEAD),
        overview=communities.overview(tx, reader=reader),
        error=row["error"] or "unknown" if row and status == Status.DEAD else None,
    )


def run(job: Run) -> None:
    """Find the communities of the job's agent, of all agents when it names none; raises LeaseLost, Cancelled.

    Each agent's are replaced in a transaction of their own.
    """
    named = job.lease.agent_id
    found = 0
    for agent_id in [named] if named else job.db.read(communities.agents):
        made = communities.compute(job.db.read(communities.snapshot, agent_id), agent_id)
        job.check()
        if made is not None:
            found += len(made.communities)
            job.progress(partial(communities.replace, made=made, now=clock.now()))
    job.commit(lambda tx: {"communities": found})
