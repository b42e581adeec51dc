"""Looking for new versions and installing them."""

from signet.wire.requests.model import Body, spelled


class UpdateConfigBody(Body):
    """What is to change; the values are checked where they are written."""

    auto_install: object = spelled("auto_install", "autoInstall")
    auto_check: object = spelled("auto_check", "autoCheck")
    check_interval: object = spelled("check_interval", "checkInterval")


class UpdateRunBody(Body):
    """The version to install; the newest one without."""

    target_version: str | None = spelled("targetVersion", "target_version")
