"""What surrounds the daemon: harnesses, the workspace as a git repository, new versions, secrets of 1Password."""

from collections.abc import Sequence

from signet.client.call import Body
from signet.client.method import asks
from signet.wire import git, secrets, update
from signet.wire import harnesses as known


class UpkeepCalls:
    """What surrounds the daemon: harnesses, the workspace as a git repository, new versions, secrets of 1Password."""

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

    @asks(secrets.ONE_PASSWORD)
    def one_password(self) -> secrets.OnePassword:
        """Return whether 1Password is connected, and its vaults."""

    @asks(secrets.CONNECT_ONE_PASSWORD, is_safe=True)
    def connect_one_password(self, token: str) -> secrets.ConnectedOnePassword:
        """Keep the token of a service account; raises Invalid for one that opens nothing."""

    @asks(secrets.DISCONNECT_ONE_PASSWORD)
    def disconnect_one_password(self) -> secrets.DisconnectedOnePassword:
        """Forget the token."""

    @asks(secrets.ONE_PASSWORD_VAULTS, pick=lambda found: found["vaults"])
    def one_password_vaults(self) -> list[Body]:
        """Return the vaults that the token opens; raises SignetError when none is kept or it is refused."""

    @asks(secrets.IMPORT_FROM_ONE_PASSWORD)
    def import_from_one_password(
        self,
        *,
        vaults: Sequence[str] | None = None,
        prefix: str | None = None,
        overwrite: bool = False,
        token: str | None = None,
    ) -> secrets.ImportedSecrets:
        """Copy credentials into the vault; without `overwrite` a name that exists is left alone."""
