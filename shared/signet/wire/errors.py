"""The one form of every refusal."""

from pydantic import BaseModel


class ErrorBody(BaseModel):
    """Why a request was refused: in words for people, and as a code for programs."""

    error: str
    code: str
