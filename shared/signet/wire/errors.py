"""The one form of every refusal."""

from typing import TypedDict


class ErrorBody(TypedDict):
    """Why a request was refused: in words for people, and as a code for programs."""

    error: str
    code: str
