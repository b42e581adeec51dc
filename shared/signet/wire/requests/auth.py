"""Asking for a token (spec/auth.md §8)."""

from pydantic import ConfigDict, Field

from signet.wire.requests.model import Body, spelled


class ScopeBody(Body):
    """What the token is to be limited to; a part that is left out is not limited."""

    model_config = ConfigDict(extra="forbid")

    project: str | None = Field(default=None, min_length=1)
    agent: str | None = Field(default=None, min_length=1)
    user: str | None = Field(default=None, min_length=1)


class TokenBody(Body):
    """A token for somebody; a `ttlSeconds` that is not positive counts as left out."""

    role: str
    scope: ScopeBody = ScopeBody()
    ttl_seconds: float | None = spelled("ttlSeconds", "ttl_seconds")
    sub: str | None = None
