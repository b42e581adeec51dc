"""What harnesses send while a session runs and when it ends. A field that is no text counts as missing (HK-3)."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from signet.wire.requests.changes import MAX_REASON_CHARS
from signet.wire.requests.model import KEY_CHARS, Body, Params, Text, Whole, spelled
from signet.wire.requests.recall import RecallBody
from signet.wire.sessions import Outcome


def bare(session_key: str) -> str:
    """Return a session key without blanks and without the prefix that some clients put before it (HK-5)."""
    return session_key.strip().removeprefix("session:")


#: The identity of a session; `session:abc` and `abc` are one (HK-5).
SessionKey = Annotated[str, AfterValidator(bare)]


class HookBody(Body):
    """What all hooks are sent; `harness` is needed. Fields that are no text count as missing (HK-3)."""

    #: Fields that are not texts.
    OTHERS: ClassVar[frozenset[str]] = frozenset()

    harness: str = ""
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
    agent_id: str | None = spelled("agentId", "agent_id")
    project: str | None = None
    runtime_path: str | None = spelled("runtimePath", "runtime_path")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {
            name: value
            for name, value in sent.items()
            if isinstance(value, str) or (name in cls.OTHERS and value is not None)
        }


class SessionStartBody(HookBody):
    """A session that begins; `context` is what it is about.

    `needsContext` is true for a plugin that keeps what it is given in memory only: it asks when it has nothing.
    """

    OTHERS = frozenset({"needsContext", "needs_context"})

    session_id: SessionKey | None = spelled("sessionId", "session_id")
    cwd: str | None = spelled("cwd", "projectPath")
    context: str | None = None
    needs_context: object = spelled("needsContext", "needs_context")


class PromptBody(HookBody):
    """What a person has just written; `userMessage` clean, `userPrompt` as it came."""

    OTHERS = frozenset({"memory_feedback", "memoryFeedback"})

    cwd: str | None = None
    user_message: str = spelled("userMessage", "user_message", default="")
    user_prompt: str = spelled("userPrompt", "user_prompt", default="")
    last_assistant_message: str = spelled(
        "lastAssistantMessage", "last_assistant_message", default=""
    )
    memory_feedback: object = spelled("memory_feedback", "memoryFeedback")
    transcript_path: str | None = spelled("transcriptPath", "transcript_path")
    transcript: str | None = None


class PreCompactionBody(HookBody):
    """A harness is about to shorten its context."""

    session_context: str = spelled("sessionContext", "session_context", default="")


class CompactionBody(HookBody):
    """A harness has shortened its context to `summary`, which is needed."""

    summary: str = ""
    idempotency_key: str | None = spelled("idempotencyKey", "idempotency_key")


class HookRememberBody(HookBody):
    """A text to remember from within a session; `content` is needed."""

    content: str = ""
    who: str | None = None
    idempotency_key: str | None = spelled("idempotencyKey", "idempotency_key")


class OfflineBody(Body):
    """The projects of a machine, "" for sessions without one."""

    projects: list[Annotated[str, Field(max_length=KEY_CHARS)]] = Field(
        default_factory=list, max_length=16
    )
    agent_id: str | None = spelled("agentId", "agent_id")


class HookRecallBody(RecallBody):
    """A question from within a session; `harness` and `query` are needed."""

    harness: str = ""
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
    runtime_path: str | None = spelled("runtimePath", "runtime_path")


class BypassBody(Body):
    """Whether the hooks of a session are to do nothing."""

    enabled: object = None


class ForgetSessionBody(Body):
    """Whether to look or to do it, and why; `agent_id` where several agents have a session of this key."""

    mode: Literal["preview", "execute"] = "preview"
    reason: str = Field("", max_length=MAX_REASON_CHARS)
    agent_id: str | None = spelled("agentId", "agent_id")


class TranscriptSearchBody(Body):
    """Words to look for in what was said."""

    query: str = ""
    limit: int = 10
    agent_id: str | None = spelled("agentId", "agent_id")
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
    project: str | None = None


class SessionParams(Params):
    """Which sessions are listed; all but `state` is for `all` of them."""

    state: Literal["running", "all"] = "running"
    project: Text = None
    harness: Text = None
    outcome: Outcome | None = None
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
