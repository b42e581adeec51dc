"""The files of the workspace that a person edits, and who the agent is."""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.done import Done
from signet.wire.operation import Operation


class ConfigFile(TypedDict):
    """A file of the workspace that a person edits."""

    name: str
    content: str
    size: int


class Identity(TypedDict):
    """Who the agent is, by its IDENTITY.md."""

    name: str
    creature: str
    vibe: str


class ConfigFiles(TypedDict):
    """The files at the top of the workspace; `error` when it cannot be read."""

    files: list[ConfigFile]
    error: NotRequired[str]


CONFIG_FILES = Operation("GET", "/api/config", access.LOCAL, ConfigFiles)
WRITE_CONFIG = Operation("POST", "/api/config", access.ADMIN, Done)
IDENTITY = Operation("GET", "/api/identity", access.LOCAL, Identity)
