"""How the repository is kept in step, as clients read it and as agent.yaml keeps it (TK-25)."""

from collections.abc import Mapping
from contextlib import suppress

from signet import config
from signet.config import manifest
from signet.config.manifest import Value
from signet.config.sections import Git
from signet.domain.gitsync import sync
from signet.domain.gitsync.repository import GitFailed, Repository
from signet.paths import Workspace
from signet.wire.git import GitSettings


def shown(workspace: Workspace, settings: Git) -> GitSettings:
    """Return the settings under the names that clients read, with the branch that is kept in step; runs git."""
    git, branch = Repository(workspace), settings.branch
    if branch is None and git.exists:
        with suppress(GitFailed):  # git does not work here: nothing is kept in step
            branch = sync.branch_of(git, settings)
    return {
        "enabled": settings.enabled,
        "autoCommit": settings.auto_commit,
        "autoSync": settings.auto_sync,
        "syncInterval": settings.sync_interval_seconds,
        "remote": settings.remote,
        "branch": branch,
    }


def change(workspace: Workspace, wished: Mapping[str, Value]) -> Git:
    """Write what is wished and return the settings as they then are."""
    manifest.set_values(workspace, {f"git.{key}": value for key, value in wished.items()})
    return config.load(workspace).settings.git
