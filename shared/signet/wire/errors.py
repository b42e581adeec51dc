"""The form of every refusal."""

from typing import TypedDict


class ErrorBody(TypedDict):
    """Why a request was refused: a text for people, and a code for programs."""

    error: str
    code: str
