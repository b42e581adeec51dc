"""Answers about repairs."""

from typing import Any, NotRequired, TypedDict


class Repaired(TypedDict):
    """What a repair has done, or that it waits for the worker (`details.jobId`)."""

    action: str
    success: bool
    affected: int
    message: str
    details: NotRequired[dict[str, Any]]
