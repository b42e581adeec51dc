"""The answer without content."""

from typing import TypedDict


class Done(TypedDict):
    """The operation is done."""

    success: bool
