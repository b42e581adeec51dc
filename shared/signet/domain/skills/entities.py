"""One job of what a skill's text speaks of: the things in it become entities that the skill is tied to."""

from collections.abc import Callable, Sequence

from signet import clock
from signet.db import WriteTx
from signet.domain.graph import skill_nodes
from signet.domain.graph.models import Triple
from signet.domain.skills.enrich import is_current, node_of, readable, skipped
from signet.domain.skills.models import Node
from signet.queue.job_context import JobContext


def run(job: JobContext, read: Callable[[str], Sequence[Triple]]) -> None:
    """Tie the job's skill to what its text speaks of and complete the job.

    `read` asks a model; raises what the provider raises, LeaseLost, Cancelled.
    """
    known = node_of(job)
    skill = readable(known)
    if known is None or skill is None:
        job.commit(lambda tx: skipped(tx, job, known, "nothing_to_read"))
        return
    triples = read(skill.body)
    job.check()
    job.commit(lambda tx: _write(tx, job, known, triples))


def _write(
    tx: WriteTx, job: JobContext, known: Node, triples: Sequence[Triple]
) -> dict[str, object]:
    if not is_current(tx, known):
        return skipped(tx, job, known, "skill_changed")
    tied = skill_nodes.mention(
        tx,
        known.entity_id,
        triples,
        skill=known.name,
        agent_id=known.agent_id,
        now=clock.now(),
    )
    return {"entities": tied}
