"""The answer that says nothing but that it is done."""

from typing import TypedDict


class Done(TypedDict):
    """Something was done."""

    success: bool
