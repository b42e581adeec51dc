"""Asking for a token."""

from collections.abc import Mapping

from pydantic import ConfigDict, Field, model_validator

from signet.wire.access import Role
from signet.wire.requests.model import Body, spelled


class ScopeBody(Body):
    """What the token is to be limited to; a part that is left out is not limited."""

    model_config = ConfigDict(extra="forbid")

    project: str | None = Field(default=None, min_length=1)
    agent: str | None = Field(default=None, min_length=1)
    user: str | None = Field(default=None, min_length=1)


class TokenBody(Body):
    """A token for somebody; a `ttlSeconds` that is not positive counts as left out."""

    role: Role
    scope: ScopeBody = ScopeBody()
    ttl_seconds: float | None = spelled("ttlSeconds", "ttl_seconds")
    sub: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_a_role(cls, sent: object) -> object:
        if isinstance(sent, Mapping) and sent.get("role") not in list(Role):
            raise ValueError(f"role must be one of: {', '.join(Role)}")
        return sent
