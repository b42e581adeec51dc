"""`clean_texts`: leave what was forgotten out of MEMORY.md and the notes of sessions, and write what is back."""

from signet import clock
from signet.db import WriteTx
from signet.domain.summaries import clean
from signet.domain.synthesis import ask, run
from signet.queue.job_context import JobContext
from signet_worker.context import Context


def clean_texts(job: JobContext, context: Context) -> None:
    """Bring the files of the job's agent in step with what it has forgotten."""
    notes = clean.run(job, context.workspace.root)
    chars = run.clean(job, context.workspace)

    def keep(tx: WriteTx) -> dict[str, object]:
        agent_id = job.lease.agent_id or "default"
        if job.lease.payload.get("is_back"):
            ask.again(tx, agent_id, now=clock.now())
        return {"notes": notes, "chars": chars}

    job.commit(keep)
