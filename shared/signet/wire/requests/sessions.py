"""What harnesses send when a session ends, and who asks for MEMORY.md."""

from typing import Annotated, Literal

from signet.wire.requests.hooks import HookBody, SessionKey
from signet.wire.requests.model import Body, Params, Text, Whole, spelled


class SessionParams(Params):
    """Which sessions are listed; all but `state` is for `all` of them."""

    state: Literal["running", "all"] = "running"
    project: Text = None
    harness: Text = None
    cursor: Text = None
    limit: Annotated[int, Whole(1, 200)] = 50


class SessionEndBody(HookBody):
    """A session that has ended, or (at a checkpoint) goes on."""

    session_id: SessionKey | None = spelled("sessionId", "session_id")
    transcript_path: str | None = spelled("transcriptPath", "transcript_path")
    transcript: str | None = None
    cwd: str | None = None
    reason: str | None = None


class SynthesisCompleteBody(Body):
    """A MEMORY.md that somebody else has written."""

    content: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")


class SynthesisBody(Body):
    """Whose MEMORY.md is to be written; the default agent's when nobody is named."""

    trigger: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
