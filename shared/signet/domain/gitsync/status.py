"""How the repository stands; asks nobody on the network."""

from dataclasses import dataclass

from signet.config.sections import Git
from signet.domain.gitsync import sync
from signet.domain.gitsync.credentials import Method
from signet.domain.gitsync.repository import GitFailed, Repository, shown
from signet.domain.gitsync.sync import Secret
from signet.paths import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What `/api/git/status` tells; counts of commits are those since the last fetch."""

    is_repo: bool = False
    branch: str | None = None
    remote: str | None = None
    has_credentials: bool = False
    auth_method: Method = Method.NONE
    last_sync: str | None = None
    uncommitted_changes: int = 0
    unpushed_commits: int = 0
    unpulled_commits: int = 0
    problem: str | None = None


def standing(workspace: Workspace, settings: Git, secret: Secret) -> Standing:
    """Return how the repository stands; raises GitFailed when git itself does not work here."""
    git = Repository(workspace)
    if not git.exists:
        return Standing()
    url = git.ask("remote", "get-url", "--", settings.remote)
    problem, method, is_enough = None, Method.NONE, False
    try:
        way = sync.access(git, settings, secret)
        method, is_enough = way.method, way.is_enough
    except GitFailed as error:
        problem = error.message
    remote = sync.Remote(name=settings.remote, branch=sync.branch_of(git, settings), repository=git)
    return Standing(
        is_repo=True,
        branch=sync.current_branch(git),
        remote=None if url is None else shown(url),
        has_credentials=is_enough,
        auth_method=method,
        last_sync=sync.last_sync(workspace),
        uncommitted_changes=len((git.ask("status", "--porcelain") or "").splitlines()),
        unpushed_commits=0 if url is None else git.count(remote.outgoing),
        unpulled_commits=0 if url is None else git.count(remote.incoming),
        problem=problem,
    )
