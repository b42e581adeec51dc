"""Asking for the context of a prompt."""

from pydantic import Field

from signet.wire.requests.hooks import SessionKey
from signet.wire.requests.model import KEY_CHARS, Body, spelled


class ContextBody(Body):
    """A prompt, or the `id` of an episode in the context of one, of which `page` is wanted."""

    prompt: str = ""
    id: str | None = Field(None, max_length=KEY_CHARS, description="as in session:abc")
    page: int = Field(1, ge=1)
    max_chars: int = spelled("maxChars", "max_chars", default=4_000, ge=0, le=20_000)
    limit: int = Field(10, ge=1, le=100, description="most memories in lines of their own")
    min_score: float | None = spelled("minScore", "min_score")
    project: str | None = None
    scope: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
