"""The notes of a session as a file: `memory/<day>-<slug>.md` (PIP-40)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from signet.db import ReadTx, WriteTx
from signet.db.dialect import as_list
from signet.domain.auth import caller
from signet.domain.auth.tokens import NO_SCOPE, TokenScope
from signet.domain.summaries.models import Asked
from signet.domain.summaries.sql import jobs, summaries
from signet.domain.summaries.sql import summaries as sql
from signet.domain.transcripts import withheld
from signet.files import replace_file
from signet.ids import DEFAULT_AGENT
from signet.queue.job_context import JobContext
from signet.wire.sessions import SessionSummary, SummaryPage

SLUG_CHARS = 50
OTHERWISE = "session"
#: How many sessions of one name have a number; later ones have their time.
NUMBERED = 20

_HEADING = re.compile(r"^##[ \t]+(\S.*)$", re.MULTILINE)
_OTHER = re.compile(r"[^a-z0-9]+")


def slug(summary: str, project: str | None) -> str:
    """Return what notes are called after: their first heading, else the project, else `session`."""
    heading = _HEADING.search(summary)
    names = (heading[1] if heading else "", project_name(project), OTHERWISE)
    return next(found for name in names if (found := _slugged(name)))


def names(asked: Asked, summary: str) -> Iterator[str]:
    """Yield the paths that notes may have below the workspace, the best first; the last is nobody else's."""
    stem = f"memory/{asked.day}-{slug(summary, asked.session.project)}"
    yield f"{stem}.md"
    yield from (f"{stem}-{number}.md" for number in range(2, NUMBERED + 1))
    yield f"{stem}-{asked.ended_at:%H%M%S}.md"
    yield f"{stem}-{asked.job_id}.md"


def free(root: Path, paths: Iterable[str]) -> list[str]:
    """Return those of the paths at which there is no file."""
    return [path for path in paths if not (root / path).exists()]


def write(root: Path, name: str, text: str) -> None:
    """Write notes in one step; who writes the same notes again leaves one file, whenever the first was killed."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"{text.rstrip()}\n".encode(), beside=f".{path.name}.new")


def _slugged(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _OTHER.sub("-", plain).strip("-")[:SLUG_CHARS].rstrip("-")


def project_name(project: str | None) -> str:
    """Return the last folder of a project's path, empty when there is none."""
    return PurePosixPath((project or "").replace("\\", "/")).name


def run_files(job: JobContext, root: Path, known: Sequence[withheld.Statement]) -> int:
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
    of_sessions = withheld.Texts(summaries.TEXTS, summaries.CLEAN)
    of_jobs = withheld.Texts(jobs.TEXTS, jobs.CLEAN)
    return sum(withheld.clean(job, texts, known) for texts in (of_sessions, of_jobs))


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
    write(root, name, text)
    return True


def read_page(
    tx: ReadTx,
    *,
    project: str | None,
    depth: int | None,
    limit: int,
    offset: int,
    within: TokenScope = NO_SCOPE,
) -> SummaryPage:
    """Return summaries, latest first, and how many there are; only those that a token's scope holds."""
    wanted = {
        "project": project,
        "depth": depth,
        "limit": limit,
        "offset": offset,
        "within_project": within.project,
        "agent": within.agent,
        "hidden": caller.current().hidden,
    }
    found = tx.records(SessionSummary, sql.PAGE, wanted)
    for one in found:
        one["content"] = withheld.cleaned(tx, one["agent_id"], one["content"])
    return {"summaries": found, "total": tx.value(sql.TOTAL, wanted)}


def of_session(tx: ReadTx, agent_id: str, key: str, *, within: str | None) -> str | None:
    """Return what a session was summed up as, None where it was not, or was of another project than `within`."""
    content = tx.value(sql.OF_ONE, (agent_id, key, within, within))
    return None if content is None else withheld.cleaned(tx, agent_id, content)


class Made(NamedTuple):
    """What was made of a session: texts of its summaries, and the paths of its notes in the workspace."""

    texts: tuple[str, ...]
    paths: tuple[str, ...]


def made(tx: ReadTx, agent_id: str, key: str) -> Made:
    """Return what was made of a session."""
    owner = (agent_id, key)
    texts = tx.column(summaries.OF_SESSION, owner)
    return Made(tuple(texts), tuple(tx.column(jobs.NOTES, owner)))


def forget_session(tx: WriteTx, agent_id: str, key: str) -> None:
    """Delete what was made of a session, but for the files; summaries of several sessions are made anew without it."""
    owner = (agent_id, key)
    listed = (as_list(tx.column(summaries.MADE_OF, owner)),)
    for statement in summaries.DELETE:
        tx.run(statement, listed)
    tx.run(summaries.DELETE_SCORES, owner)
    tx.run(jobs.DELETE_OF, owner)


def sorted_notes(root: Path, found: Made) -> tuple[list[str], list[str]]:
    """Return the notes that Signet wrote as they are, and those that a person has written into. Reads files."""
    whole = "\n".join(found.texts)
    ours: list[str] = []
    others: list[str] = []
    for name in found.paths:
        path = root / name
        if path.is_file():
            present = path.read_text("utf-8", "replace")
            (ours if is_ours(present, whole) else others).append(name)
    return ours, others
