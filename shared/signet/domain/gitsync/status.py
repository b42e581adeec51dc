"""How the repository stands; asks nobody on the network."""

from signet.config.sections import Git
from signet.domain.gitsync import sync
from signet.domain.gitsync.credentials import Method
from signet.domain.gitsync.repository import GitFailed, Repository, shown
from signet.domain.gitsync.sync import Secret
from signet.paths import Workspace
from signet.wire.git import GitStatus


def standing(workspace: Workspace, settings: Git, secret: Secret) -> GitStatus:
    """Return how the repository stands, with commits since the last fetch; raises GitFailed when git does not work."""
    git = Repository(workspace)
    found: GitStatus = {
        "isRepo": git.exists,
        "branch": None,
        "remote": None,
        "hasCredentials": False,
        "authMethod": Method.NONE,
        "autoSync": settings.auto_sync,
        "lastSync": None,
        "uncommittedChanges": 0,
        "unpushedCommits": 0,
        "unpulledCommits": 0,
        "problem": None,
    }
    if not git.exists:
        return found
    url = git.ask("remote", "get-url", "--", settings.remote)
    try:
        way = sync.access(git, settings, secret)
        found["authMethod"], found["hasCredentials"] = way.method, way.is_enough
    except GitFailed as error:
        found["problem"] = error.message
    remote = sync.Remote(name=settings.remote, branch=sync.branch_of(git, settings), repository=git)
    found["branch"] = sync.current_branch(git)
    found["lastSync"] = sync.last_sync(workspace)
    found["uncommittedChanges"] = len((git.ask("status", "--porcelain") or "").splitlines())
    if url is not None:
        found["remote"] = shown(url)
        found["unpushedCommits"] = git.count(remote.outgoing)
        found["unpulledCommits"] = git.count(remote.incoming)
    return found
