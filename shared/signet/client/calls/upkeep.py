"""What surrounds the daemon: harnesses, the workspace as a git repository, new versions, secrets of 1Password."""

from collections.abc import Sequence

from signet.client.call import Body, Call, ask, listed
from signet.client.method import method
from signet.wire import git, harnesses, secrets, update
from signet.wire.git import ChangedGitSettings, GitDone, GitSettings, GitStatus
from signet.wire.harnesses import KnownHarness, Regenerated
from signet.wire.secrets import (
    ConnectedOnePassword,
    DisconnectedOnePassword,
    ImportedSecrets,
    OnePassword,
)
from signet.wire.update import ChangedUpdateSettings, Installed, UpdateCheck, UpdateSettings


class UpkeepCalls:
    """What surrounds the daemon: harnesses, the workspace as a git repository, new versions, secrets of 1Password."""

    @method
    def harnesses(self) -> Call[list[KnownHarness]]:
        """Return every harness that can be connected, and whether it is."""
        return ask(harnesses.HARNESSES).picking(lambda found: found["harnesses"])

    @method
    def regenerate_harnesses(self) -> Call[Regenerated]:
        """Mend what has come loose and write what harnesses read; `output` says what failed."""
        return ask(harnesses.REGENERATE_HARNESSES, body={}, is_safe=True)

    @method
    def git_status(self) -> Call[GitStatus]:
        """Return how the workspace's repository stands; nobody on the network is asked."""
        return ask(git.GIT_STATUS)

    @method
    def git_pull(self) -> Call[GitDone]:
        """Bring in what the remote has beyond the workspace; `success` and `message` say what came of it."""
        return ask(git.GIT_PULL, body={})

    @method
    def git_push(self) -> Call[GitDone]:
        """Send what the workspace has beyond the remote; `success` and `message` say what came of it."""
        return ask(git.GIT_PUSH, body={})

    @method
    def git_sync(self) -> Call[GitDone]:
        """Pull, then push; `success` and `message` say what came of it."""
        return ask(git.GIT_SYNC, body={})

    @method
    def git_settings(self) -> Call[GitSettings]:
        """Return the settings in force."""
        return ask(git.GIT_SETTINGS)

    @method
    def change_git_settings(
        self,
        *,
        enabled: bool | None = None,
        auto_commit: bool | None = None,
        auto_sync: bool | None = None,
        sync_interval_seconds: int | None = None,
        remote: str | None = None,
        branch: str | None = None,
    ) -> Call[ChangedGitSettings]:
        """Change settings in agent.yaml; raises Invalid for one that makes no sense."""
        body = {
            "enabled": enabled,
            "autoCommit": auto_commit,
            "autoSync": auto_sync,
            "syncInterval": sync_interval_seconds,
            "remote": remote,
            "branch": branch,
        }
        return ask(git.CHANGE_GIT_SETTINGS, body=body, is_safe=True)

    @method
    def check_update(self, *, force: bool = False) -> Call[UpdateCheck]:
        """Return whether there is a new version; the index is asked only with `force`, or where that was allowed."""
        return ask(update.CHECK_UPDATE, force=force or None)

    @method
    def update_settings(self) -> Call[UpdateSettings]:
        """Return how new versions are looked for, and what came of it last."""
        return ask(update.UPDATE_SETTINGS)

    @method
    def change_update_settings(
        self,
        *,
        auto_install: bool | None = None,
        auto_check: bool | None = None,
        check_interval_seconds: int | None = None,
    ) -> Call[ChangedUpdateSettings]:
        """Change that in agent.yaml; raises Invalid for an interval out of bounds."""
        body = {
            "auto_install": auto_install,
            "auto_check": auto_check,
            "check_interval": check_interval_seconds,
        }
        return ask(update.CHANGE_UPDATE_SETTINGS, body=body, is_safe=True)

    @method
    def install_update(self, version: str | None = None) -> Call[Installed]:
        """Install a version, the newest one without; `success` and `message` say what came of it. Raises Invalid."""
        return ask(update.INSTALL_UPDATE, body={"targetVersion": version})

    @method
    def one_password(self) -> Call[OnePassword]:
        """Return whether 1Password is connected, and its vaults."""
        return ask(secrets.ONE_PASSWORD)

    @method
    def connect_one_password(self, token: str) -> Call[ConnectedOnePassword]:
        """Keep the token of a service account; raises Invalid for one that opens nothing."""
        return ask(secrets.CONNECT_ONE_PASSWORD, body={"token": token}, is_safe=True)

    @method
    def disconnect_one_password(self) -> Call[DisconnectedOnePassword]:
        """Forget the token."""
        return ask(secrets.DISCONNECT_ONE_PASSWORD)

    @method
    def one_password_vaults(self) -> Call[list[Body]]:
        """Return the vaults that the token opens; raises SignetError when none is kept or it is refused."""
        return ask(secrets.ONE_PASSWORD_VAULTS).picking(lambda found: found["vaults"])

    @method
    def import_from_one_password(
        self,
        *,
        vaults: Sequence[str] | None = None,
        prefix: str | None = None,
        overwrite: bool = False,
        token: str | None = None,
    ) -> Call[ImportedSecrets]:
        """Copy credentials into the vault; without `overwrite` a name that exists is left alone."""
        body = {"vaults": listed(vaults), "prefix": prefix, "overwrite": overwrite, "token": token}
        return ask(secrets.IMPORT_FROM_ONE_PASSWORD, body=body)
