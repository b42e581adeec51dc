"""The workspace's user files and settings, and the agent's identity."""

from typing import Any, Literal, NotRequired, TypedDict

from signet.wire import access
from signet.wire.done import Done
from signet.wire.operation import get, patch, post


class ConfigFile(TypedDict):
    """A user file of the workspace; `hash` is its SHA-256."""

    name: str
    content: str
    size: int
    hash: str


class AgentIdentity(TypedDict):
    name: str
    creature: str
    vibe: str


class ConfigFiles(TypedDict):
    """The files at the top of the workspace; `error` if it is unreadable."""

    files: list[ConfigFile]
    error: NotRequired[str]


class Setting(TypedDict):
    """One setting: description, value and default; `origin` is the file that sets it, or `default`.

    Secrets are masked. Numbers are between `low` and `high`, null for no bound; with `restart`, a change needs a
    restart.
    """

    key: str
    label: str
    #: Its place among the settings that most people look for; 0 for others.
    often: int
    kind: Literal["boolean", "integer", "number", "choice", "text", "list", "map"]
    default: Any
    value: Any
    origin: str
    low: float | None
    high: float | None
    choices: list[str]
    #: The choices in words, and the group of the setting.
    says: dict[str, str]
    group: str
    secret: bool
    restart: bool


class ConfigSchema(TypedDict):
    """Every setting; `hash` is the file's, empty without a file."""

    settings: list[Setting]
    count: int
    file: str
    hash: str


class ChangedConfig(TypedDict):
    """The file after a change of settings, and the settings that need a restart."""

    success: bool
    file: str
    hash: str
    restartRequired: list[str]


CONFIG_SCHEMA = get("/api/config/schema", access.LOCAL, ConfigSchema)
CHANGE_CONFIG = patch("/api/config", access.SETTINGS, ChangedConfig)
CONFIG_FILES = get("/api/config", access.LOCAL, ConfigFiles)
WRITE_CONFIG = post("/api/config", access.SETTINGS, Done)
IDENTITY = get("/api/identity", access.LOCAL, AgentIdentity)
