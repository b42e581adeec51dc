"""Updates."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import get, post


class UpdateCheck(TypedDict):
    """Whether a new version exists; `checkError` explains a failed check."""

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
    """Settings of update checks, and the last result; the interval is in seconds."""

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
    success: bool
    config: UpdateSettings
    persisted: bool


class Installed(TypedDict):
    """The result of an installation; the running daemon needs a restart."""

    success: bool
    message: str
    restartRequired: bool
    output: NotRequired[str]
    installedVersion: NotRequired[str]


CHECK_UPDATE = get("/api/update/check", access.LOCAL, UpdateCheck)
UPDATE_SETTINGS = get("/api/update/config", access.LOCAL, UpdateSettings)
CHANGE_UPDATE_SETTINGS = post(
    "/api/update/config",
    access.programs("change whether new versions are installed", "signet update enable"),
    ChangedUpdateSettings,
)
INSTALL_UPDATE = post(
    "/api/update/run",
    access.programs("install another version of Signet", "signet update install"),
    Installed,
)
