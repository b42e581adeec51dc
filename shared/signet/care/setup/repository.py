"""The workspace as a git repository: made with its first commit, and a copy of what was there before."""

import shutil
from collections.abc import Sequence
from datetime import datetime

from signet.domain.gitsync.repository import Repository


def is_there() -> bool:
    """Return whether this machine has git."""
    return shutil.which("git") is not None


def make(repository: Repository) -> None:
    """Make the workspace a repository; raises GitFailed."""
    repository.run("-c", "init.defaultBranch=main", "init", "--quiet")


def commit(
    repository: Repository, subject: str, *, now: datetime, only: Sequence[str] | None = None
) -> str | None:
    """Commit these paths, or everything that is not ignored; return the commit's title, None when nothing is new.

    Raises GitFailed. The title is `YYYY-MM-DD_<subject>`, of the local day.
    """
    title = f"{now.astimezone():%Y-%m-%d}_{subject}"
    paths = ["."] if only is None else [*only]
    if not paths:
        return None
    repository.run("add", "--", *paths)
    if not repository.run("diff", "--cached", "--name-only", "--", *paths):
        return None
    repository.run(*repository.author(), "commit", "--quiet", "-m", title, "--", *paths)
    return title
