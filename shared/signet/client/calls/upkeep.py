"""Harnesses, the git repository of the workspace, updates."""

from signet.client.method import asks
from signet.wire import git, update
from signet.wire import harnesses as known


class UpkeepCalls:
    """Harnesses, the git repository of the workspace, updates."""

    @asks(known.HARNESSES, pick=lambda found: found["harnesses"])
    def harnesses(self) -> list[known.KnownHarness]:
        """Return every harness that can be connected, and whether it is."""

    @asks(known.REGENERATE_HARNESSES, is_safe=True)
    def regenerate_harnesses(self) -> known.Regenerated:
        """Mend what has come loose and write what harnesses read; `output` says what failed."""

    @asks(git.GIT_STATUS)
    def git_status(self) -> git.GitStatus:
        """Return how the workspace's repository stands; nobody on the network is asked."""

    @asks(git.GIT_PULL)
    def git_pull(self) -> git.GitDone:
        """Bring in what the remote has beyond the workspace; `success` and `message` say what came of it."""

    @asks(git.GIT_PUSH)
    def git_push(self) -> git.GitDone:
        """Send what the workspace has beyond the remote; `success` and `message` say what came of it."""

    @asks(git.GIT_SYNC)
    def git_sync(self) -> git.GitDone:
        """Pull, then push; `success` and `message` say what came of it."""

    @asks(git.GIT_SETTINGS)
    def git_settings(self) -> git.GitSettings:
        """Return the settings in force."""

    @asks(git.CHANGE_GIT_SETTINGS, names={"sync_interval_seconds": "sync_interval"}, is_safe=True)
    def change_git_settings(
        self,
        *,
        enabled: bool | None = None,
        auto_commit: bool | None = None,
        auto_sync: bool | None = None,
        sync_interval_seconds: int | None = None,
        remote: str | None = None,
        branch: str | None = None,
    ) -> git.ChangedGitSettings:
        """Change settings in agent.yaml; raises Invalid for one that makes no sense."""

    @asks(update.CHECK_UPDATE)
    def check_update(self, *, force: bool = False) -> update.UpdateCheck:
        """Return whether there is a new version; the index is asked only with `force`, or where that was allowed."""

    @asks(update.UPDATE_SETTINGS)
    def update_settings(self) -> update.UpdateSettings:
        """Return how new versions are looked for, and what came of it last."""

    @asks(
        update.CHANGE_UPDATE_SETTINGS,
        names={"check_interval_seconds": "check_interval"},
        is_safe=True,
    )
    def change_update_settings(
        self,
        *,
        auto_install: bool | None = None,
        auto_check: bool | None = None,
        check_interval_seconds: int | None = None,
    ) -> update.ChangedUpdateSettings:
        """Change that in agent.yaml; raises Invalid for an interval out of bounds."""

    @asks(update.INSTALL_UPDATE, names={"version": "target_version"})
    def install_update(self, version: str | None = None) -> update.Installed:
        """Install a version, the newest one without; `success` and `message` say what came of it. Raises Invalid."""
