"""The workspace as a git repository: made with its first commit, and a copy of what was there before.

Works without a name in git's settings (a new machine has none): one is given for the commit alone. Hooks and signing
keys of the person are left out of it. Without git, or where git refuses, nothing is lost but the history.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from datetime import datetime

from signet.paths import Workspace

SECONDS = 60.0
#: Who commits where nobody has told git who they are.
NAME, EMAIL = "Signet", "signet@localhost"
#: What would make git work on another repository than the one of the folder it runs in.
_ELSEWHERE = frozenset(
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR GIT_PREFIX GIT_NAMESPACE".split()
)
_QUIET = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false", "-c", "gc.auto=0")


class GitFailed(Exception):
    """Git did not do it; the text is its last line."""


def is_there() -> bool:
    """Return whether this machine has git."""
    return shutil.which("git") is not None


def exists(workspace: Workspace) -> bool:
    """Return whether the workspace is a repository of its own."""
    return (workspace.root / ".git").exists()


def make(workspace: Workspace) -> None:
    """Make the workspace a repository; raises GitFailed."""
    _git(workspace, "-c", "init.defaultBranch=main", "init", "--quiet")


def commit(
    workspace: Workspace, subject: str, *, now: datetime, only: Sequence[str] | None = None
) -> str | None:
    """Commit these paths, or everything that is not ignored; return the commit's title, None when nothing is new.

    Raises GitFailed. The title is `YYYY-MM-DD_<subject>`, of the local day.
    """
    title = f"{now.astimezone():%Y-%m-%d}_{subject}"
    paths = ["."] if only is None else [*only]
    if not paths:
        return None
    _git(workspace, "add", "--", *paths)
    if not _git(workspace, "diff", "--cached", "--name-only", "--", *paths):
        return None
    _git(workspace, *_author(workspace), "commit", "--quiet", "-m", title, "--", *paths)
    return title


def _author(workspace: Workspace) -> Sequence[str]:
    try:
        known = _git(workspace, "config", "user.email") and _git(workspace, "config", "user.name")
    except GitFailed:
        known = ""
    return () if known else ("-c", f"user.name={NAME}", "-c", f"user.email={EMAIL}")


def _git(workspace: Workspace, *arguments: str) -> str:
    """Run git in the workspace, whatever repository the caller's environment is about, and return what it said."""
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    try:
        done = subprocess.run(
            ["git", *_QUIET, *arguments],
            cwd=workspace.root,
            env=kept | {"GIT_CEILING_DIRECTORIES": str(workspace.root.parent)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitFailed(str(error)) from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise GitFailed(said[-1] if said else f"git {arguments[0]}: exit {done.returncode}")
    return done.stdout.strip()
