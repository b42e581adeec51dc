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
from signet.domain.gitsync.repository import Repository
from signet.domain.summaries import sql
from signet.domain.summaries.models import SummaryJob
from signet.domain.transcripts import withheld
from signet.files import replace_file
from signet.ids import DEFAULT_AGENT
from signet.paths import Workspace
from signet.queue.job_context import JobContext
from signet.wire.sessions import SessionSummary, SummaryPage

SLUG_CHARS = 50
OTHERWISE = "session"
#: Sessions of one name that get a number; later ones get their time.
NUMBERED = 20

_HEADING = re.compile(r"^##[ \t]+(\S.*)$", re.MULTILINE)
_OTHER = re.compile(r"[^a-z0-9]+")


def slug(summary: str, project: str | None) -> str:
    """Return the name of notes: their first heading, else the project, else `session`."""
    heading = _HEADING.search(summary)
    names = (heading[1] if heading else "", project_name(project), OTHERWISE)
    return next(found for name in names if (found := _slugged(name)))


def names(asked: SummaryJob, summary: str) -> Iterator[str]:
    """Yield the possible paths of notes below the workspace, the best first; the last is always free."""
    stem = f"memory/{asked.day}-{slug(summary, asked.session.project)}"
    yield f"{stem}.md"
    yield from (f"{stem}-{number}.md" for number in range(2, NUMBERED + 1))
    yield f"{stem}-{asked.ended_at:%H%M%S}.md"
    yield f"{stem}-{asked.job_id}.md"


def free(root: Path, paths: Iterable[str]) -> list[str]:
    return [path for path in paths if not (root / path).exists()]


def write(root: Path, name: str, text: str) -> None:
    """Write notes atomically; writing the same notes again after a crash leaves one file."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, f"{text.rstrip()}\n".encode(), beside=f".{path.name}.new")


def _slugged(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return _OTHER.sub("-", plain).strip("-")[:SLUG_CHARS].rstrip("-")


def project_name(project: str | None) -> str:
    return PurePosixPath((project or "").replace("\\", "/")).name


def run_files(job: JobContext, root: Path, known: Sequence[withheld.Statement]) -> int:
    """Rewrite the agent's notes that contain withheld text or lack restored text; return their number.

    `known` are the withheld statements. A person's changes stay. Raises OSError.
    """
    agent_id = job.lease.agent_id or DEFAULT_AGENT
    rows = job.db.read(lambda tx: tx.tuples(sql.PATHS, (agent_id,)))
    changed = 0
    for summary, name in rows:
        job.check()
        changed += _write(root, name, summary, known)
    return changed


def erase(job: JobContext, known: Mapping[str, Sequence[withheld.Statement]]) -> int:
    """Remove erased statements from summaries, and from transcripts waiting for one; return the number changed."""
    of_sessions = withheld.TextTable(sql.TEXTS, sql.CLEAN)
    of_jobs = withheld.TextTable(sql.PARTS, sql.CLEAN_PART)
    return sum(withheld.clean(job, texts, known) for texts in (of_sessions, of_jobs))


def every_path(tx: ReadTx) -> list[str]:
    return tx.column(sql.EVERY_PATH)


def holding(workspace: Workspace, written: Iterable[str], text: str) -> list[Path]:
    """Return the files that state a text and that no job cleans: Markdown not `written` by Signet, the git history."""
    said, root = [withheld.statement(text)], workspace.root
    ours = {root / name for name in written}
    names = (path for glob in ("*.md", "memory/*.md", "agents/*/*.md") for path in root.glob(glob))
    notes = [path for path in names if path not in ours and not path.name.startswith("MEMORY.")]
    texts: list[tuple[Path, str | None]]
    texts = [(path, path.read_text("utf-8", "replace")) for path in notes if path.is_file()]
    if (git := Repository(workspace)).exists:
        texts.append((root / ".git", git.added()))
    return [path for path, one in texts if one is None or withheld.without(one, said) != one]


def is_ours(present: str, summary: str) -> bool:
    """Return whether a file has only sentences of its summary. Pure."""
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
    """Return summaries, latest first, and their number, within a token's scope."""
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
    """Return a session's summary; None without one, or outside of the project `within`."""
    content = tx.value(sql.OF_ONE, (agent_id, key, within, within))
    return None if content is None else withheld.cleaned(tx, agent_id, content)


class Made(NamedTuple):
    """The texts of a session's summaries, and the paths of its notes."""

    texts: tuple[str, ...]
    paths: tuple[str, ...]


def made(tx: ReadTx, agent_id: str, key: str) -> Made:
    owner = (agent_id, key)
    texts = tx.column(sql.OF_SESSION, owner)
    return Made(tuple(texts), tuple(tx.column(sql.NOTES, owner)))


def forget_session(tx: WriteTx, agent_id: str, key: str) -> None:
    """Delete a session's summaries but not its files; summaries of several sessions are made again without it."""
    owner = (agent_id, key)
    listed = (as_list(tx.column(sql.MADE_OF, owner)),)
    for statement in sql.DELETE:
        tx.run(statement, listed)
    tx.run(sql.DELETE_SCORES, owner)
    tx.run(sql.DELETE_OF, owner)


def sorted_notes(root: Path, found: Made) -> tuple[list[str], list[str]]:
    """Return unchanged notes, and those that a person has edited. Reads files."""
    whole = "\n".join(found.texts)
    ours: list[str] = []
    others: list[str] = []
    for name in found.paths:
        path = root / name
        if path.is_file():
            present = path.read_text("utf-8", "replace")
            (ours if is_ours(present, whole) else others).append(name)
    return ours, others
