"""What surrounds the daemon: harnesses, the workspace as a git repository, new versions, secrets of 1Password."""

from collections.abc import Sequence

from signet.client.answers.upkeep import (
    ChangedGitSettings,
    ChangedUpdateSettings,
    ConnectedOnePassword,
    DisconnectedOnePassword,
    GitDone,
    GitSettings,
    GitStatus,
    ImportedSecrets,
    Installed,
    KnownHarness,
    OnePassword,
    Regenerated,
    UpdateCheck,
    UpdateSettings,
)
from signet.client.call import Body, Call, given, listed, read
from signet.client.method import method


class UpkeepCalls:
    """What surrounds the daemon: harnesses, the workspace as a git repository, new versions, secrets of 1Password."""

    @method
    def harnesses(self) -> Call[list[KnownHarness]]:
        """Return every harness that can be connected, and whether it is."""
        return read("/api/harnesses", pick="harnesses")

    @method
    def regenerate_harnesses(self) -> Call[Regenerated]:
        """Mend what has come loose and write what harnesses read; `output` says what failed."""
        return Call(method="POST", path="/api/harnesses/regenerate", body={}, is_safe=True)

    @method
    def git_status(self) -> Call[GitStatus]:
        """Return how the workspace's repository stands; nobody on the network is asked."""
        return read("/api/git/status")

    @method
    def git_pull(self) -> Call[GitDone]:
        """Bring in what the remote has beyond the workspace; `success` and `message` say what came of it."""
        return Call(method="POST", path="/api/git/pull", body={})

    @method
    def git_push(self) -> Call[GitDone]:
        """Send what the workspace has beyond the remote; `success` and `message` say what came of it."""
        return Call(method="POST", path="/api/git/push", body={})

    @method
    def git_sync(self) -> Call[GitDone]:
        """Pull, then push; `success` and `message` say what came of it."""
        return Call(method="POST", path="/api/git/sync", body={})

    @method
    def git_settings(self) -> Call[GitSettings]:
        """Return the settings in force."""
        return read("/api/git/config")

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
        return Call(method="POST", path="/api/git/config", body=given(body), is_safe=True)

    @method
    def check_update(self, *, force: bool = False) -> Call[UpdateCheck]:
        """Return whether there is a new version; the index is asked only with `force`, or where that was allowed."""
        return read("/api/update/check", force=force or None)

    @method
    def update_settings(self) -> Call[UpdateSettings]:
        """Return how new versions are looked for, and what came of it last."""
        return read("/api/update/config")

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
            "autoInstall": auto_install,
            "autoCheck": auto_check,
            "checkInterval": check_interval_seconds,
        }
        return Call(method="POST", path="/api/update/config", body=given(body), is_safe=True)

    @method
    def install_update(self, version: str | None = None) -> Call[Installed]:
        """Install a version, the newest one without; `success` and `message` say what came of it. Raises Invalid."""
        body = given({"targetVersion": version})
        return Call(method="POST", path="/api/update/run", body=body)

    @method
    def one_password(self) -> Call[OnePassword]:
        """Return whether 1Password is connected, and its vaults."""
        return read("/api/secrets/1password/status")

    @method
    def connect_one_password(self, token: str) -> Call[ConnectedOnePassword]:
        """Keep the token of a service account; raises Invalid for one that opens nothing."""
        path = "/api/secrets/1password/connect"
        return Call(method="POST", path=path, body={"token": token}, is_safe=True)

    @method
    def disconnect_one_password(self) -> Call[DisconnectedOnePassword]:
        """Forget the token."""
        return Call(method="DELETE", path="/api/secrets/1password/connect")

    @method
    def one_password_vaults(self) -> Call[list[Body]]:
        """Return the vaults that the token opens; raises SignetError when none is kept or it is refused."""
        return read("/api/secrets/1password/vaults", pick="vaults")

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
        return Call(method="POST", path="/api/secrets/1password/import", body=given(body))
