"""Changing how the repository is kept in step: checked, then written to agent.yaml (TK-25)."""

import re
from collections.abc import Mapping
from contextlib import suppress

from signet import config
from signet.config import manifest
from signet.config.manifest import Value
from signet.config.sections import Git
from signet.domain.gitsync import sync
from signet.domain.gitsync.repository import GitFailed, Repository
from signet.errors import Invalid
from signet.paths import Workspace
from signet.wire.git import GitSettings

LEAST_SECONDS, MOST_SECONDS = 60, 86_400
_NAME = re.compile(r"[A-Za-z0-9._/][A-Za-z0-9._/-]*")


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


def change(workspace: Workspace, wished: Mapping[str, object]) -> Git:
    """Write what is wished and return the settings as they then are; raises Invalid, with nothing written."""
    checked = {key: _checked(key, value) for key, value in wished.items()}
    manifest.set_values(workspace, {f"git.{key}": value for key, value in checked.items()})
    return config.load(workspace).settings.git


def _checked(key: str, value: object) -> Value:
    match key:
        case "enabled" | "autoCommit" | "autoSync":
            if not isinstance(value, bool):
                raise Invalid(f"{key} must be true or false")
            return value
        case "syncInterval":
            if isinstance(value, bool) or not isinstance(value, int):
                raise Invalid("syncInterval must be a whole number of seconds")
            if not LEAST_SECONDS <= value <= MOST_SECONDS:
                raise Invalid(
                    f"syncInterval must be between {LEAST_SECONDS} and {MOST_SECONDS} seconds"
                )
            return value
        case _:
            if not isinstance(value, str) or not _NAME.fullmatch(value) or ".." in value:
                raise Invalid(f"{key} must be a name of letters, digits and . _ / -")
            return value
