"""Answers about what surrounds the daemon: harnesses, the workspace's repository, new versions, 1Password."""

from typing import Any, NotRequired, TypedDict


class KnownHarness(TypedDict):
    """A program whose agents can remember here; `lastSeen` is when it called last."""

    name: str
    id: str
    path: str
    exists: bool
    lastSeen: str | None
    connected: bool
    problems: list[str]


class Regenerated(TypedDict):
    """What became of the files that harnesses read."""

    success: bool
    message: str
    output: str


class GitStatus(TypedDict):
    """How the workspace's repository stands."""

    isRepo: bool
    branch: str | None
    remote: str | None
    hasCredentials: bool
    authMethod: str
    autoSync: bool
    lastSync: str | None
    uncommittedChanges: int | None
    unpushedCommits: int | None
    unpulledCommits: int | None
    problem: str | None


class GitDone(TypedDict):
    """What came of a pull, a push or both; counts are of commits."""

    success: bool
    message: str
    changes: NotRequired[int]
    pulled: NotRequired[int]
    pushed: NotRequired[int]


class GitSettings(TypedDict):
    """When the workspace is committed and with what it is kept in step."""

    enabled: bool
    autoCommit: bool
    autoSync: bool
    syncInterval: int
    remote: str
    branch: str | None


class ChangedGitSettings(TypedDict):
    """The settings in force from now on."""

    success: bool
    config: GitSettings


class UpdateCheck(TypedDict):
    """Whether there is a new version; `checkError` says why nobody knows."""

    currentVersion: str
    latestVersion: str | None
    updateAvailable: bool
    isMajorUpgrade: bool
    restartRequired: bool
    cached: bool
    checkedAt: str | None
    releaseUrl: NotRequired[str]
    publishedAt: NotRequired[str]
    checkError: NotRequired[str]
    pendingVersion: NotRequired[str]


class UpdateSettings(TypedDict):
    """How new versions are looked for, and what came of it last; the interval is in seconds."""

    autoInstall: bool
    autoCheck: bool
    checkInterval: int
    channel: str
    pendingRestartVersion: str | None
    lastAutoUpdateAt: str | None
    lastAutoUpdateError: str | None
    updateInProgress: bool


class ChangedUpdateSettings(UpdateSettings):
    """The settings in force from now on."""

    success: bool
    persisted: bool


class Installed(TypedDict):
    """What came of an installation; the daemon goes on as it is until it is restarted."""

    success: bool
    message: str
    restartRequired: bool
    output: NotRequired[str]
    installedVersion: NotRequired[str]


class OnePassword(TypedDict):
    """Whether 1Password is connected; `error` says why not although a token is kept."""

    configured: bool
    connected: bool
    vaults: list[dict[str, Any]]
    vaultCount: NotRequired[int]
    error: NotRequired[str]


class ConnectedOnePassword(TypedDict):
    """1Password is connected, and these are its vaults."""

    success: bool
    connected: bool
    vaultCount: int
    vaults: list[dict[str, Any]]


class DisconnectedOnePassword(TypedDict):
    """The token is gone; `existed` says whether there was one."""

    success: bool
    disconnected: bool
    existed: bool


class ImportedSecrets(TypedDict):
    """What was copied out of 1Password; names only."""

    success: bool
    vaultsScanned: int
    itemsScanned: int
    importedCount: int
    skippedCount: int
    errorCount: int
    imported: list[dict[str, Any]]
    skipped: list[dict[str, Any]]
    errors: list[dict[str, Any]]
