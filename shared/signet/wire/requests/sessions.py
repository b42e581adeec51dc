"""What harnesses send when a session ends, and who asks for MEMORY.md."""

from signet.wire.requests.hooks import HookBody, SessionKey
from signet.wire.requests.model import Body, spelled


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
