"""The files of the workspace that a person edits, and who the agent is."""

from typing import Any, Literal, NotRequired, TypedDict

from signet.wire import access
from signet.wire.done import Done
from signet.wire.operation import Operation


class ConfigFile(TypedDict):
    """A file of the workspace that a person edits; `hash` is its SHA-256."""

    name: str
    content: str
    size: int
    hash: str


class Identity(TypedDict):
    """Who the agent is, by its IDENTITY.md."""

    name: str
    creature: str
    vibe: str


class ConfigFiles(TypedDict):
    """The files at the top of the workspace; `error` when it cannot be read."""

    files: list[ConfigFile]
    error: NotRequired[str]


class Setting(TypedDict):
    """One setting: what it may be, is, and would be by default; `origin` is the file that says so, or `default`.

    Secrets are masked. Numbers lie between `low` and `high`, null for no bound; `restart` says that a change takes
    effect only after a restart.
    """

    key: str
    label: str
    kind: Literal["boolean", "integer", "number", "choice", "text", "list", "map"]
    default: Any
    value: Any
    origin: str
    low: float | None
    high: float | None
    choices: list[str]
    secret: bool
    restart: bool


class ConfigSchema(TypedDict):
    """Every setting; `hash` is that of the file, empty where there is none."""

    settings: list[Setting]
    count: int
    file: str
    hash: str


class ChangedConfig(TypedDict):
    """The file after a change of settings, and those that wait for a restart."""

    success: bool
    file: str
    hash: str
    restartRequired: list[str]


CONFIG_SCHEMA = Operation("GET", "/api/config/schema", access.LOCAL, ConfigSchema)
CHANGE_CONFIG = Operation("PATCH", "/api/config", access.SETTINGS, ChangedConfig)
CONFIG_FILES = Operation("GET", "/api/config", access.LOCAL, ConfigFiles)
WRITE_CONFIG = Operation("POST", "/api/config", access.SETTINGS, Done)
IDENTITY = Operation("GET", "/api/identity", access.LOCAL, Identity)
