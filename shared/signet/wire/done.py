"""The answer without content."""

from typing import TypedDict


class Done(TypedDict):
    success: bool
