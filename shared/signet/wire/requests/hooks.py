"""Hook payloads of harnesses. A field that is not text counts as missing (HK-3)."""

import json
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from signet.wire.requests.changes import MAX_REASON_CHARS
from signet.wire.requests.model import KEY_CHARS, Body, ClampedInt, Params, Readers, Text, spelled
from signet.wire.requests.recall import RecallBody
from signet.wire.sessions import Use


def bare(session_key: str) -> str:
    """Return a session key without blanks and without some clients' prefix (HK-5)."""
    return session_key.strip().removeprefix("session:")


#: The key of a session; `session:abc` and `abc` are one (HK-5).
SessionKey = Annotated[str, AfterValidator(bare)]


def _as_log(sent: object) -> object:
    """Return messages of a model's API as lines of a log."""
    if not isinstance(sent, list):
        return sent
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in sent)


#: A transcript as text, or as the messages of a model's API: objects with `role` and `content`.
Transcript = Annotated[
    str | None,
    BeforeValidator(_as_log),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "object", "additionalProperties": True}},
                {"type": "null"},
            ]
        }
    ),
]


class RepositoryBody(Body):
    """The folder of a session as its own machine describes it, for a daemon on another one."""

    machine: str = Field(max_length=64)
    root: str = Field(max_length=KEY_CHARS)
    tree: str = Field("", max_length=KEY_CHARS)
    sub_path: str = spelled("subPath", "sub_path", default="", max_length=KEY_CHARS)
    is_repository: bool = spelled("isRepository", "is_repository", default=False)
    remote: str | None = Field(None, max_length=KEY_CHARS)
    commits: list[Annotated[str, Field(pattern="^[0-9a-f]{40,64}$")]] = Field(
        default_factory=list, max_length=64
    )


class HookBody(Body):
    """Common fields of all hooks; `harness` is required. Fields that are not text count as missing (HK-3)."""

    #: Fields that are not texts.
    OTHERS: ClassVar[frozenset[str]] = frozenset()

    harness: str = ""
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
    agent_id: str | None = spelled("agentId", "agent_id")
    project: str | None = None
    runtime_path: str | None = spelled("runtimePath", "runtime_path")
    repository: RepositoryBody | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        return {
            name: value
            for name, value in sent.items()
            if isinstance(value, str)
            or (name in cls.OTHERS and value is not None)
            or (name == "repository" and isinstance(value, dict))
            or (name == "transcript" and isinstance(value, list))
        }


class SessionStartBody(HookBody):
    """A session start; `context` is the session's topic.

    `needsContext` is true for a plugin that keeps its context only in memory and has none.
    """

    OTHERS = frozenset({"needsContext", "needs_context"})

    session_id: SessionKey | None = spelled("sessionId", "session_id")
    cwd: str | None = spelled("cwd", "projectPath")
    context: str | None = None
    needs_context: object = spelled("needsContext", "needs_context")


class PromptBody(HookBody):
    """A user's message; `userMessage` cleaned, `userPrompt` unchanged."""

    OTHERS = frozenset({"memory_feedback", "memoryFeedback"})

    cwd: str | None = None
    user_message: str = spelled("userMessage", "user_message", default="")
    user_prompt: str = spelled("userPrompt", "user_prompt", default="")
    last_assistant_message: str = spelled(
        "lastAssistantMessage", "last_assistant_message", default=""
    )
    memory_feedback: object = spelled("memory_feedback", "memoryFeedback")
    transcript_path: str | None = spelled("transcriptPath", "transcript_path")
    transcript: Transcript = None


class PreCompactionBody(HookBody):
    """A harness is about to compact its context."""

    session_context: str = spelled("sessionContext", "session_context", default="")


class CompactionBody(HookBody):
    """A harness has compacted its context to `summary`, which is required."""

    summary: str = ""
    idempotency_key: str | None = spelled("idempotencyKey", "idempotency_key")


class HookRememberBody(HookBody):
    """A text to save from a session; `content` is required."""

    content: str = ""
    who: str | None = None
    visibility: Readers = None
    idempotency_key: str | None = spelled("idempotencyKey", "idempotency_key")


class OfflineBody(Body):
    """The projects of a machine, "" for sessions without one."""

    projects: list[Annotated[str, Field(max_length=KEY_CHARS)]] = Field(
        default_factory=list, max_length=16
    )
    agent_id: str | None = spelled("agentId", "agent_id")


class HookRecallBody(RecallBody):
    """A question from a session; `harness` and `query` are required."""

    harness: str = ""
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
    runtime_path: str | None = spelled("runtimePath", "runtime_path")


class BypassBody(Body):
    """Whether to disable a session's hooks."""

    enabled: object = None


class ForgetSessionBody(Body):
    """Preview or forget a session, and why; `agent_id` if several agents have this session key."""

    mode: Literal["preview", "execute"] = "preview"
    reason: str = Field("", max_length=MAX_REASON_CHARS)
    agent_id: str | None = spelled("agentId", "agent_id")


class TranscriptSearchBody(Body):
    """Words to search for in transcripts."""

    query: str = ""
    limit: int = 10
    agent_id: str | None = spelled("agentId", "agent_id")
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
    project: str | None = None


class SessionParams(Params):
    """Sessions to list; all fields except `state` apply to `all` of them."""

    state: Literal["running", "all"] = "running"
    project: Text = None
    harness: Text = None
    use: Use | None = None
    since: Text = None
    until: Text = None
    cursor: Text = None
    limit: Annotated[int, ClampedInt(1, 200)] = 50


class SessionEndBody(HookBody):
    """An ended session or, with a checkpoint, one that continues."""

    session_id: SessionKey | None = spelled("sessionId", "session_id")
    transcript_path: str | None = spelled("transcriptPath", "transcript_path")
    transcript: Transcript = None
    cwd: str | None = None
    reason: str | None = None


class SynthesisCompleteBody(Body):
    """A MEMORY.md written by another program."""

    content: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")


class SynthesisBody(Body):
    """The agent whose MEMORY.md to write; default: the default agent."""

    trigger: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")


class ContextBody(Body):
    """A prompt, or the `id` of a source in a context and its `page`."""

    prompt: str = ""
    id: str | None = Field(None, max_length=KEY_CHARS)
    page: int = Field(1, ge=1)
    max_chars: int = spelled("maxChars", "max_chars", default=4_000, ge=0, le=20_000)
    limit: int = Field(10, ge=1, le=100)
    min_score: float | None = spelled("minScore", "min_score")
    project: str | None = None
    scope: str | None = None
    agent_id: str | None = spelled("agentId", "agent_id")
    session_key: SessionKey | None = spelled("sessionKey", "session_key")
