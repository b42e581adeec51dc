"""One `index_commits` job: index a project's commit messages, never the changes.

Compares the newest commits reachable from HEAD with the stored ones, so that a rewritten history leaves nothing behind.
A reverted commit, or a merge without a message, is stored without text, so that no search finds it.
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
#: Most commits stored of a project, and read by one job.
MOST_COMMITS = 5_000
BATCH = 100

_FORMAT = "--format=%H%x1f%aI%x1f%B"
_REVERTS = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")
_MERGE = re.compile(r"Merge (?:branch|branches|remote-tracking branch|tag|commit)\b[^\n]*\s*\Z")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: hash, time of writing (ISO), and the whole message."""

    hash: str
    written_at: str
    message: str


def ask(tx: WriteTx, agent_id: str, project: str, repository: str) -> None:
    """Queue the reading of a project's commits, unless it is queued already."""
    job = NewJob(
        kind=KIND,
        dedupe_key=f"{agent_id}:{project}",
        agent_id=agent_id,
        payload={"project": project, "repository": repository},
        priority=BULK,
    )
    enqueue(tx, job, now=clock.now())


def run(job: JobContext, *, model: str | None, masks: bool) -> None:
    """Index a project's new commits, queue their vectors of `model`, and complete the job.

    Removes commits that no longer exist. Without a model there are no vectors. `masks` replaces secrets in the
    messages. Erased statements are left out. Raises LeaseLost, Cancelled.
    """
    agent_id = job.lease.agent_id or ""
    project = str(job.lease.payload.get("project"))
    git = Repository(Workspace(Path(str(job.lease.payload.get("repository")))), ALONE)
    try:
        hashes = git.run("rev-list", f"--max-count={MOST_COMMITS}", "HEAD").split()
    except GitFailed as error:  # no commit yet, or no longer a repository
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

    def source_of(hash: str) -> Source:
        return Source(type=SourceType.COMMIT, id=hash, agent_id=agent_id, project=project)

    def write(tx: WriteTx) -> dict[str, object]:
        sql.forget_commits(tx, agent_id, project, [*gone, *(reverted & known)])
        for commit, chunk in chunks:
            sql.insert(tx, source_of(commit.hash), [chunk])
        vectors.ask(tx, source_of(""), model)
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
