"""New versions."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation


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
    #: Bounds of the interval.
    minInterval: int
    maxInterval: int
    pendingRestartVersion: str | None
    lastAutoUpdateAt: str | None
    lastAutoUpdateError: str | None
    updateInProgress: bool


class ChangedUpdateSettings(UpdateSettings):
    """The settings in force from now on."""

    success: bool
    config: UpdateSettings
    persisted: bool


class Installed(TypedDict):
    """What came of an installation; the daemon goes on as it is until it is restarted."""

    success: bool
    message: str
    restartRequired: bool
    output: NotRequired[str]
    installedVersion: NotRequired[str]


CHECK_UPDATE = Operation("GET", "/api/update/check", access.LOCAL, UpdateCheck)
UPDATE_SETTINGS = Operation("GET", "/api/update/config", access.LOCAL, UpdateSettings)
CHANGE_UPDATE_SETTINGS = Operation(
    "POST",
    "/api/update/config",
    access.programs("change whether new versions are installed", "signet update enable"),
    ChangedUpdateSettings,
)
INSTALL_UPDATE = Operation(
    "POST",
    "/api/update/run",
    access.programs("install another version of Signet", "signet update install"),
    Installed,
)
