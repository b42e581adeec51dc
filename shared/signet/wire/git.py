"""The workspace as a git repository."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import get, post


class GitStatus(TypedDict):
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
    success: bool
    message: str
    changes: NotRequired[int]
    pulled: NotRequired[int]
    pushed: NotRequired[int]


class GitSettings(TypedDict):
    """When the workspace is committed, and its remote."""

    enabled: bool
    autoCommit: bool
    autoSync: bool
    syncInterval: int
    remote: str
    branch: str | None


class ChangedGitSettings(TypedDict):
    success: bool
    config: GitSettings


GIT_STATUS = get("/api/git/status", access.LOCAL, GitStatus)
GIT_PULL = post(
    "/api/git/pull",
    access.programs("pull the workspace's files, agent.yaml included", "signet git pull"),
    GitDone,
)
GIT_PUSH = post(
    "/api/git/push",
    access.programs("push the workspace's files to its remote", "signet git push"),
    GitDone,
)
GIT_SYNC = post(
    "/api/git/sync",
    access.programs("pull and push the workspace's files", "signet git sync"),
    GitDone,
)
GIT_SETTINGS = get("/api/git/config", access.LOCAL, GitSettings)
CHANGE_GIT_SETTINGS = post(
    "/api/git/config",
    access.programs("change where and when the workspace is synchronised", "signet git enable"),
    ChangedGitSettings,
)
