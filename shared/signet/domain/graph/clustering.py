"""Finding the communities of every agent in the worker, at the beat of maintenance (KG-17, KG-18)."""

from functools import partial

from signet import clock
from signet.domain.graph import communities
from signet.queue.job_context import JobContext


def run(job: JobContext) -> None:
    """Find the communities of all agents; raises LeaseLost, Cancelled.

    Each agent's are replaced in a transaction of their own.
    """
    found = 0
    for agent_id in job.db.read(communities.agents):
        made = communities.compute(job.db.read(communities.snapshot, agent_id), agent_id)
        job.check()
        if made is not None:
            found += len(made.communities)
            job.progress(partial(communities.replace, made=made, now=clock.now()))
    job.commit(lambda tx: {"communities": found})
