"""What harnesses send when a session ends (spec/hooks.md §6). A field that is no text counts as missing (HK-3)."""

from collections.abc import Mapping

from pydantic import model_validator

from signet.wire.hooks import SessionKey
from signet.wire.model import Body, spelled


class SessionEndBody(Body):
    """A session that has ended, or (at a checkpoint) goes on; `harness` is needed."""

    harness: str = ""
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
    session_id: SessionKey | None = spelled("sessionId", "session_id")
    transcript_path: str | None = spelled("transcriptPath", "transcript_path")
    transcript: str | None = None
    cwd: str | None = None
    project: str | None = None
    reason: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {name: value for name, value in sent.items() if isinstance(value, str)}


class SynthesisCompleteBody(Body):
    """A MEMORY.md that somebody else has written."""

    content: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")


class SynthesisBody(Body):
    """Whose MEMORY.md is to be written; the default agent's when nobody is named."""

    trigger: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
