"""One `index_commits` job: keep the commit messages of a project findable; never what the commits changed.

The newest commits that HEAD reaches are compared with those that are stored, so a rewritten history leaves nothing
behind. A commit that was reverted, and a merge that says nothing of its own, are stored without text: they are known
and never found.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from signet import clock
from signet.db import WriteTx
from signet.domain.episodes import split, sql, vectors
from signet.domain.episodes.models import Chunk, Source, SourceType
from signet.domain.gitsync.repository import ALONE, GitFailed, Repository
from signet.domain.transcripts import withheld
from signet.domain.transcripts.withheld import Statement
from signet.paths import Workspace
from signet.queue import BULK, NewJob, enqueue
from signet.queue.job_context import JobContext
from signet.text.masking import mask

KIND = "index_commits"
#: Commits that are known of a project, and those that one job reads.
MOST_COMMITS = 5_000
BATCH = 100

_FORMAT = "--format=%H%x1f%aI%x1f%B"
_REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")
_MERGE = re.compile(r"Merge (?:branch|branches|remote-tracking branch|tag|commit)\b[^\n]*\s*\Z")


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its hash, when it was written (ISO), and its whole message."""

    hash: str
    written_at: str
    message: str


def ask(tx: WriteTx, agent_id: str, project: str, repository: str) -> None:
    """Queue the reading of a project's commits, unless that is queued."""
    job = NewJob(
        kind=KIND,
        dedupe_key=f"{agent_id}:{project}",
        agent_id=agent_id,
        payload={"project": project, "repository": repository},
        priority=BULK,
    )
    enqueue(tx, job, now=clock.now())


def run(job: JobContext, *, model: str | None, masks: bool) -> None:
    """Index what is new of the project's commits, queue their vectors of `model`, and complete the job.

    Commits that are gone are forgotten. Without a model there are no vectors. With `masks` secrets in the messages are
    replaced. What was erased is left out of them. Raises LeaseLost, Cancelled.
    """
    agent_id = job.lease.agent_id or ""
    project = str(job.lease.payload.get("project"))
    git = Repository(Workspace(Path(str(job.lease.payload.get("repository")))), ALONE)
    try:
        hashes = git.run("rev-list", f"--max-count={MOST_COMMITS}", "HEAD").split()
    except GitFailed as error:  # no commit yet, or no repository any more
        reason = error.message
        job.commit(lambda tx: {"skipped": reason})
        return
    known = job.db.read(sql.commits, agent_id, project)
    new = [one for one in hashes if one not in known]
    gone = known - set(hashes)
    read = list(_messages(git, new[:BATCH]))
    reverted = {found for commit in read for found in _REVERTS.findall(commit.message)}
    reverted |= job.db.read(sql.reverted, agent_id, project, _REVERTS)
    erased_ones = job.db.read(withheld.erased_statements).get(agent_id, [])
    chunks = [
        (commit, chunk)
        for commit in read
        for chunk in _chunks(commit, reverted, erased_ones, masks)
    ]

    def of(hash: str) -> Source:
        return Source(type=SourceType.COMMIT, id=hash, agent_id=agent_id, project=project)

    def write(tx: WriteTx) -> dict[str, object]:
        sql.forget_commits(tx, agent_id, project, [*gone, *(reverted & known)])
        for commit, chunk in chunks:
            sql.insert(tx, of(commit.hash), [chunk])
        vectors.ask(tx, of(""), model)
        if len(new) > BATCH:
            ask(tx, agent_id, project, str(git.root))
        return {"commits": len(read), "removed": len(gone)}

    job.commit(write)


def _messages(git: Repository, hashes: Sequence[str]) -> Iterator[Commit]:
    if not hashes:
        return
    said = git.run(
        *("-c", "log.showSignature=false"),
        *("log", "--no-walk=unsorted", "-z", "--no-color", "--no-notes", _FORMAT, *hashes),
    )
    for record in said.split("\0"):
        if record.count("\x1f") >= 2:
            yield Commit(*record.split("\x1f", 2))


def _chunks(
    commit: Commit, reverted: Iterable[str], known: Sequence[Statement], masks: bool
) -> list[Chunk]:
    text = withheld.without(commit.message.strip(), known)
    if commit.hash in reverted or _MERGE.match(text):
        text = ""
    text = mask(text).text if masks else text
    return [
        Chunk(position=position, content=piece, said_at=commit.written_at)
        for position, piece in enumerate(split.pieces(text))
    ]
