"""Harnesses, MEMORY.md, the workspace's git repository, updates."""

from signet.client.method import asks
from signet.wire import git, synthesis, update
from signet.wire import harnesses as known


class UpkeepCalls:
    """Harnesses, MEMORY.md, the workspace's git repository, updates."""

    @asks(known.HARNESSES, pick=lambda found: found["harnesses"])
    def harnesses(self) -> list[known.KnownHarness]:
        """Return every supported harness, and whether it is connected."""

    @asks(known.REGENERATE_HARNESSES, is_safe=True)
    def regenerate_harnesses(self) -> known.Regenerated:
        """Repair harness connections and rewrite generated files; `output` lists failures."""

    @asks(synthesis.TRIGGER_SYNTHESIS)
    def rewrite_memory_file(self, *, agent_id: str | None = None) -> synthesis.TriggeredSynthesis:
        """Write MEMORY.md again, or return the `reason` why not."""

    @asks(synthesis.UNDO_SYNTHESIS)
    def undo_memory_file(self, *, agent_id: str | None = None) -> synthesis.UndoneSynthesis:
        """Put the earlier MEMORY.md back; a second time brings the replaced one back."""

    @asks(git.GIT_STATUS)
    def git_status(self) -> git.GitStatus:
        """Return the state of the workspace's repository, without network access."""

    @asks(git.GIT_PULL)
    def git_pull(self) -> git.GitDone:
        """Pull from the remote; `success` and `message` describe the result."""

    @asks(git.GIT_PUSH)
    def git_push(self) -> git.GitDone:
        """Push to the remote; `success` and `message` describe the result."""

    @asks(git.GIT_SYNC)
    def git_sync(self) -> git.GitDone:
        """Pull, then push; `success` and `message` describe the result."""

    @asks(git.GIT_SETTINGS)
    def git_settings(self) -> git.GitSettings:
        """Return the effective settings."""

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
        """Change settings in agent.yaml; raises Invalid for an invalid one."""

    @asks(update.CHECK_UPDATE)
    def check_update(self, *, force: bool = False) -> update.UpdateCheck:
        """Return whether a new version exists; queries the index only with `force`, or if allowed."""

    @asks(update.UPDATE_SETTINGS)
    def update_settings(self) -> update.UpdateSettings:
        """Return the update settings and the last result."""

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
        """Change the update settings in agent.yaml; raises Invalid for an interval out of bounds."""

    @asks(update.INSTALL_UPDATE, names={"version": "target_version"})
    def install_update(self, version: str | None = None) -> update.Installed:
        """Install a version, by default the newest; `success` and `message` describe the result. Raises Invalid."""
