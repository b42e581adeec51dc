"""The notes of sessions as files say nothing that was forgotten, and say it again when it is taken back."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from signet.domain.summaries import files
from signet.domain.summaries.sql import jobs, summaries
from signet.domain.transcripts import erased, withheld
from signet.ids import DEFAULT_AGENT
from signet.queue.job_context import JobContext


def run(job: JobContext, root: Path, known: Sequence[withheld.Statement]) -> int:
    """Write the notes of the job's agent anew where they say too much or too little; return how many.

    `known` is what they may not say. What a person has written into them stays. Raises OSError when they cannot be
    written.
    """
    agent_id = job.lease.agent_id or DEFAULT_AGENT
    rows = job.db.read(lambda tx: tx.tuples(jobs.PATHS, (agent_id,)))
    changed = 0
    for summary, name in rows:
        job.check()
        changed += _write(root, name, summary, known)
    return changed


def erase(job: JobContext, known: Mapping[str, Sequence[withheld.Statement]]) -> int:
    """Take what was erased out of summaries, and of transcripts that wait for one; return of how many."""
    of_sessions = erased.Texts(summaries.TEXTS, summaries.CLEAN)
    of_jobs = erased.Texts(jobs.TEXTS, jobs.CLEAN)
    return sum(erased.clean(job, texts, known) for texts in (of_sessions, of_jobs))


def is_ours(present: str, summary: str) -> bool:
    """Return whether a file has nothing but sentences of the summary that it was written from. Pure."""
    return withheld.sentences(present) <= withheld.sentences(summary)


def _write(root: Path, name: str, summary: str, known: Sequence[withheld.Statement]) -> bool:
    path = root / name
    if not path.is_file():
        return False
    present = path.read_text("utf-8", "replace").rstrip()
    text = withheld.without(summary.rstrip() if is_ours(present, summary) else present, known)
    if text.rstrip() == present:
        return False
    files.write(root, name, text)
    return True
