"""Pull, push and sync the workspace with its remote; settings and status of these."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from signet import clock, config
from signet.config import manifest
from signet.config.manifest import Value
from signet.config.sections import Git
from signet.domain.gitsync import guarded
from signet.domain.gitsync.guarded import NO_CREDENTIALS, GitAccess, Method
from signet.domain.gitsync.repository import NETWORK_SECONDS, GitFailed, Repository, alone, shown
from signet.files import read_file, replace_file
from signet.paths import Workspace
from signet.wire.git import GitDone, GitSettings, GitStatus

STASH = "signet-auto-stash"
_MERGE = ("merge", "--ff-only", "--quiet", "--no-overwrite-ignore")
#: Git's message about a branch that the remote does not have yet.
_NO_BRANCH = "couldn't find remote ref"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitRemote:
    """The remote's address and branch; `repository` has the credentials."""

    name: str
    branch: str
    repository: Repository

    @property
    def tracking(self) -> str:
        return f"refs/remotes/{self.name}/{self.branch}"

    @property
    def local(self) -> str:
        return f"refs/heads/{self.branch}"

    @property
    def incoming(self) -> str:
        return f"{self.local}..{self.tracking}" if self._has(self.local) else self.tracking

    @property
    def outgoing(self) -> str:
        return f"{self.tracking}..{self.local}" if self._has(self.tracking) else self.local

    def _has(self, ref: str) -> bool:
        return self.repository.ask("rev-parse", "--verify", "--quiet", ref) is not None


class _Stopped(Exception):
    """Ends the operation with this outcome."""

    def __init__(self, outcome: GitDone) -> None:
        self.outcome = outcome


Secret = Callable[[str], str | None]


def pull(workspace: Workspace, settings: Git, secret: Secret) -> GitDone:
    """Pull the remote's new commits."""
    return _alone(workspace, lambda: _pull(_remote(workspace, settings, secret, "pull")))


def push(workspace: Workspace, settings: Git, secret: Secret) -> GitDone:
    """Send the commits that the remote lacks."""
    return _alone(workspace, lambda: _push(_remote(workspace, settings, secret, "push")))


def sync(
    workspace: Workspace,
    settings: Git,
    secret: Secret,
    *,
    now: datetime,
    is_automatic: bool = False,
) -> GitDone:
    """Pull, then push; store the time if both succeeded.

    An automatic sync pulls no changes of decisive settings (TK-26).
    """

    def both() -> GitDone:
        remote = _remote(workspace, settings, secret, "sync")
        pulled = _pull(remote, is_automatic=is_automatic)
        if not pulled["success"]:
            return pulled
        pushed = _push(remote)
        if not pushed["success"]:
            return {**pushed, "pulled": pulled["changes"]}
        _note(workspace, now)
        return GitDone(
            success=True,
            message="Sync complete",
            pulled=pulled["changes"],
            pushed=pushed["changes"],
        )

    return _alone(workspace, both)


def last_sync(workspace: Workspace) -> str | None:
    """Return the time of the last successful pull and push, as text."""
    try:
        found = json.loads(read_file(workspace.daemon_dir / "git.json"))
        return str(found["lastSync"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def branch_of(repository: Repository, settings: Git) -> str:
    """Return the branch to synchronise: the configured one, the remote's default, the current one, `main`."""
    head = repository.ask(
        "symbolic-ref", "--quiet", "--short", f"refs/remotes/{settings.remote}/HEAD"
    )
    of_remote = (head or "").removeprefix(f"{settings.remote}/")
    return settings.branch or of_remote or current_branch(repository) or "main"


def current_branch(repository: Repository) -> str | None:
    """Return the checked-out branch, None without one."""
    return repository.ask("symbolic-ref", "--quiet", "--short", "HEAD")


def access(repository: Repository, settings: Git, secret: Secret) -> GitAccess:
    """Return the access to the remote; raises GitFailed for a refused address."""
    url = repository.ask("remote", "get-url", "--", settings.remote)
    return guarded.find_access(repository, url, secret)


def _remote(workspace: Workspace, settings: Git, secret: Secret, verb: str) -> GitRemote:
    repository = Repository(workspace)
    if not repository.exists:
        raise _Stopped(GitDone(success=False, message="Not a git repository"))
    try:
        found = access(repository, settings, secret)
    except GitFailed as error:
        raise _Stopped(_failed(verb.capitalize(), error)) from error
    if found.method is guarded.Method.NO_REMOTE:
        words = f"No remote '{settings.remote}' configured — skipping {verb}"
        raise _Stopped(GitDone(success=True, message=words))
    if not found.is_enough:
        raise _Stopped(GitDone(success=False, message=NO_CREDENTIALS))
    return GitRemote(
        name=settings.remote,
        branch=branch_of(repository, settings),
        repository=Repository(workspace, found.environ),
    )


def _pull(remote: GitRemote, *, is_automatic: bool = False) -> GitDone:
    git = remote.repository
    try:
        git.run(
            *("fetch", "--quiet", "--no-tags", "--", remote.name),
            f"+{remote.local}:{remote.tracking}",
            seconds=NETWORK_SECONDS,
        )
    except GitFailed as error:
        if _NO_BRANCH not in error.message:
            return _failed("Fetch", error)
        return GitDone(success=True, message="Already up to date", changes=0)
    try:
        coming = git.count(remote.incoming)
        if coming == 0:
            return GitDone(success=True, message="Already up to date", changes=0)
        _check(remote, coming)
        if is_automatic and (found := guarded.decided(git, remote.tracking)):
            raise GitFailed(
                f"it would change settings: {found}."
                f" Look at them: git -C {git.root} diff HEAD {remote.name}/{remote.branch} -- agent.yaml;"
                " to take them over: signet git pull"
            )
        _forward(remote)
    except GitFailed as error:
        return _failed("Pull", error)
    return GitDone(success=True, message=f"Pulled {coming} commits", changes=coming)


def _check(remote: GitRemote, coming: int) -> None:
    """Raise GitFailed if a fast-forward is not possible."""
    git = remote.repository
    if git.is_in_between:
        raise GitFailed("a merge or rebase is in progress")
    current = current_branch(git)
    if current != remote.branch:
        raise GitFailed(f"{current or 'no branch'} is checked out, not {remote.branch}")
    ahead = git.count(remote.outgoing)
    if ahead:
        raise GitFailed(
            f"both sides have new commits ({_commits(ahead)} here, {_commits(coming)} there);"
            f" merge them by hand: git -C {git.root} merge {remote.name}/{remote.branch}"
        )
    if found := guarded.reached(git, remote.tracking):
        raise GitFailed(
            f"the pull would replace or delete {found}; remove it from the remote first"
        )


def _forward(remote: GitRemote) -> None:
    """Fast-forward to the fetched commit; conflicting changes are stashed and reapplied.

    If they do not fit, the previous state is restored.
    """
    git = remote.repository
    before = git.ask("rev-parse", "--verify", "--quiet", "HEAD")
    try:
        git.run(*_MERGE, remote.tracking)
        return
    except GitFailed:
        if before is None or not git.ask("status", "--porcelain"):
            raise
    git.run(*git.author(), "stash", "push", "--quiet", "--include-untracked", "--message", STASH)
    try:
        git.run(*_MERGE, remote.tracking)
        git.run(*git.author(), "stash", "pop", "--quiet")
    except GitFailed as error:
        _back(git, before)
        raise GitFailed(
            f"local changes conflict with the pull ({error.message}); nothing was changed"
        ) from error


def _back(git: Repository, before: str) -> None:
    """Return to a commit and reapply the stash made there; raises GitFailed, with the stash kept."""
    try:
        git.run("reset", "--hard", "--quiet", before)
        # Remains of an interrupted restore of files that git did not track; the stash contains them.
        for name in (git.ask("ls-tree", "-r", "-z", "--name-only", "stash@{0}^3") or "").split(
            "\0"
        ):
            if name:
                (git.root / name).unlink(missing_ok=True)
        git.run(*git.author(), "stash", "pop", "--quiet")
    except GitFailed as error:
        raise GitFailed(
            f"local changes are in the stash '{STASH}' and could not be restored ({error.message});"
            f" see: git -C {git.root} stash list"
        ) from error


def _push(remote: GitRemote) -> GitDone:
    git = remote.repository
    try:
        going = git.count(remote.outgoing)
        if going == 0:
            return GitDone(success=True, message="Nothing to push", changes=0)
        if found := guarded.leaks(git, remote.outgoing):
            raise GitFailed(
                f"an unpushed commit contains {found[0]}, which must stay on this machine;"
                " remove it from the history first"
            )
        git.run(
            *("push", "--quiet", "--", remote.name, f"{remote.local}:{remote.local}"),
            seconds=NETWORK_SECONDS,
        )
    except GitFailed as error:
        return _failed("Push", error)
    return GitDone(success=True, message=f"Pushed {going} commits", changes=going)


def _alone(workspace: Workspace, work: Callable[[], GitDone]) -> GitDone:
    try:
        with alone(workspace):
            return work()
    except BlockingIOError:
        return GitDone(success=False, message="Sync already in progress")
    except _Stopped as stopped:
        return stopped.outcome


def _note(workspace: Workspace, now: datetime) -> None:
    told = json.dumps({"lastSync": clock.to_text(now)})
    replace_file(workspace.daemon_dir / "git.json", told.encode())


def _failed(step: str, error: GitFailed) -> GitDone:
    return GitDone(success=False, message=f"{step} failed: {error.message}")


def _commits(count: int) -> str:
    return f"{count} commit" if count == 1 else f"{count} commits"


def settings_shown(workspace: Workspace, settings: Git) -> GitSettings:
    """Return the settings for clients, with the branch to synchronise; runs git."""
    git, branch = Repository(workspace), settings.branch
    if branch is None and git.exists:
        with suppress(GitFailed):  # git does not work here: nothing is synchronised
            branch = branch_of(git, settings)
    return {
        "enabled": settings.enabled,
        "autoCommit": settings.auto_commit,
        "autoSync": settings.auto_sync,
        "syncInterval": settings.sync_interval_seconds,
        "remote": settings.remote,
        "branch": branch,
    }


def change_settings(workspace: Workspace, wished: Mapping[str, Value]) -> Git:
    manifest.set_values(workspace, {f"git.{key}": value for key, value in wished.items()})
    return config.load(workspace).settings.git


def standing(workspace: Workspace, settings: Git, secret: Secret) -> GitStatus:
    """Return the state of the repository, with commits since the last fetch; raises GitFailed if git fails."""
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
        way = access(git, settings, secret)
        found["authMethod"], found["hasCredentials"] = way.method, way.is_enough
    except GitFailed as error:
        found["problem"] = error.message
    remote = GitRemote(name=settings.remote, branch=branch_of(git, settings), repository=git)
    found["branch"] = current_branch(git)
    found["lastSync"] = last_sync(workspace)
    found["uncommittedChanges"] = len((git.ask("status", "--porcelain") or "").splitlines())
    if url is not None:
        found["remote"] = shown(url)
        found["unpushedCommits"] = git.count(remote.outgoing)
        found["unpulledCommits"] = git.count(remote.incoming)
    return found
