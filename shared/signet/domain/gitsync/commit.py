"""The commit that happens by itself: everything that is not guarded, under a title that says when and what (TK-22)."""

import re
from collections.abc import Sequence
from datetime import datetime

from signet.domain.gitsync import guarded
from signet.domain.gitsync.repository import Repository, alone

#: Of the title, for the names of files.
NAMES_CHARS = 50


def commit(repository: Repository, *, now: datetime) -> str | None:
    """Commit what has changed and return the title; None when nothing has, or while a merge or rebase is under way.

    Raises GitFailed, BlockingIOError while somebody pulls or pushes, and OSError when `.gitignore` cannot be written.
    """
    with alone(repository.workspace):
        return _commit(repository, now)


def _commit(repository: Repository, now: datetime) -> str | None:
    if not repository.exists or repository.is_in_between:
        return None
    guarded.ignore(repository.workspace)
    repository.run("add", "--all")
    guarded.untrack(repository)
    changed = repository.run("diff", "--cached", "--name-only", "-z").split("\0")
    names = [name for name in changed if name]
    if not names:
        return None
    title = title_of(names, now)
    repository.run(*repository.author(), "commit", "--quiet", "--message", title)
    return title


def title_of(names: Sequence[str], now: datetime) -> str:
    """Return the title of a commit of these files at this time, which is told as the machine's clock shows it."""
    told = ",".join(re.sub(r"[^\w./-]+", "_", name) for name in names)
    return f"{now.astimezone():%Y-%m-%dT%H-%M-%S}_auto_{told[:NAMES_CHARS]}"
