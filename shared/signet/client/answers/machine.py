"""Answers about the machine that the daemon runs on: secrets, tasks, the files of the workspace."""

from typing import Any, TypedDict


class KeptSecret(TypedDict):
    """A secret that is kept, or is gone."""

    success: bool
    name: str


class Ran(TypedDict):
    """What a command said, without the values of its secrets."""

    stdout: str
    stderr: str
    code: int


class AddedTask(TypedDict):
    """A task that recurs from now on."""

    id: str
    nextRunAt: str | None


class TaskPage(TypedDict):
    """Every task, and expressions to choose from."""

    tasks: list[dict[str, Any]]
    presets: list[dict[str, str]]


class WholeTask(TypedDict):
    """A task and its newest runs."""

    task: dict[str, Any]
    runs: list[dict[str, Any]]


class StartedRun(TypedDict):
    """A run of a task that has begun."""

    runId: str
    status: str


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


class Done(TypedDict):
    """Something was done."""

    success: bool
