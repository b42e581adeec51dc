"""What harnesses send while a session runs (spec/hooks.md §1). A field that is no text counts as missing (HK-3)."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, model_validator

from signet.wire.model import Body, spelled


def _bare(session_key: str) -> str:
    return session_key.strip().removeprefix("session:")


#: The identity of a session; `session:abc` and `abc` are one (HK-5).
SessionKey = Annotated[str, AfterValidator(_bare)]


class HookRememberBody(Body):
    """A text to remember from within a session; `harness` and `content` are needed."""

    harness: str = ""
    content: str = ""
    who: str | None = None
    project: str | None = None
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
    agent_id: str | None = spelled("agentId", "agent_id")
    idempotency_key: str | None = spelled("idempotencyKey", "idempotency_key")
    runtime_path: str | None = spelled("runtimePath", "runtime_path")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {name: value for name, value in sent.items() if isinstance(value, str)}
