"""Changing how the repository is kept in step."""

from signet.wire.requests.model import Body, spelled


class GitConfigBody(Body):
    """What is to change; the values are checked where they are written."""

    enabled: object = None
    auto_commit: object = spelled("autoCommit", "auto_commit")
    auto_sync: object = spelled("autoSync", "auto_sync")
    sync_interval: object = spelled("syncInterval", "sync_interval")
    remote: object = None
    branch: object = None
