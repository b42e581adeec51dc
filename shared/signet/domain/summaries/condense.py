"""Many summaries become few: eight sessions of a project an arc, four arcs an epoch (PIP-43).

One `condense` job makes one of them, and asks for the next when enough are left. A summary stands below one other
at most, so a job that runs twice finds its work done.
"""

from dataclasses import dataclass
from datetime import datetime

from signet import clock, ids
from signet.db import WriteTx
from signet.domain.summaries.distill import Reader
from signet.domain.summaries.models import Summary
from signet.domain.summaries.sql import summaries as sql
from signet.domain.transcripts import withheld
from signet.queue import BULK, Job, enqueue
from signet.queue.job_context import JobContext

KIND = "condense"


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """What summaries of one depth become: how many of them, and what that is called."""

    children: int
    kind: str


LEVELS = {0: Level(children=8, kind="arc"), 1: Level(children=4, kind="epoch")}


def queue_condense(
    tx: WriteTx, agent_id: str, project: str | None, depth: int, *, attempts: int, now: datetime
) -> None:
    """Queue the condensing of a project's summaries of a depth when there are enough of them."""
    level = LEVELS.get(depth)
    if level is None:
        return
    found = tx.rows(Summary, sql.OPEN, (agent_id, project, depth, level.children))
    if len(found) == level.children:
        job = Job(
            kind=KIND,
            dedupe_key=f"{agent_id}:{depth}:{project or ''}",
            agent_id=agent_id,
            payload={"project": project, "depth": depth},
            priority=BULK,
        )
        enqueue(tx, job, now=now, max_attempts=attempts)


def run_condense(job: JobContext, reader: Reader | None, *, attempts: int) -> None:
    """Condense the job's summaries and complete the job; raises what the providers raise.

    `attempts` are those of the jobs that follow.
    """
    agent_id = job.lease.agent_id or "default"
    project, depth = job.lease.payload.get("project"), int(job.lease.payload.get("depth", 0))
    level = LEVELS[depth]
    children = job.db.read(
        lambda tx: tx.rows(Summary, sql.OPEN, (agent_id, project, depth, level.children))
    )
    if reader is None or len(children) < level.children:
        job.commit(lambda tx: {"skipped": "nothing_to_condense" if reader else "no_model"})
        return
    said = job.db.read(withheld.all_cleaned, agent_id, [one.content for one in children])
    condensed = reader.condensed(
        [one._replace(content=text) for one, text in zip(children, said, strict=True)]
    )

    def keep(tx: WriteTx) -> dict[str, object]:
        now = clock.now()
        still = tx.rows(Summary, sql.OPEN, (agent_id, project, depth, level.children))
        if [one.id for one in still] != [one.id for one in children]:
            # A session that went on has moved behind others: the next job takes those that are oldest now.
            queue_condense(tx, agent_id, project, depth, attempts=attempts, now=now)
            return {"skipped": "summaries_changed"}
        # Something may have been forgotten while the model wrote.
        content = withheld.cleaned(tx, agent_id, condensed)
        parent_id = ids.new_id()
        span = (min(one.earliest_at for one in children), max(one.latest_at for one in children))
        size = len(content) // sql.TOKEN_CHARS
        row = (
            parent_id,
            project,
            depth + 1,
            level.kind,
            content,
            size,
            *span,
            agent_id,
            clock.to_text(now),
        )
        tx.run(sql.PARENT, row)
        tx.many(sql.CHILD, ((parent_id, child.id, place) for place, child in enumerate(children)))
        queue_condense(tx, agent_id, project, depth, attempts=attempts, now=now)
        queue_condense(tx, agent_id, project, depth + 1, attempts=attempts, now=now)
        return {"id": parent_id, "kind": level.kind}

    job.commit(keep)
