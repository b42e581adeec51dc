"""Hooks: reports of a harness about its session, and the context in return.

`bypassed`: the session's hooks do nothing. `internal`: Signet itself started the calling process.
"""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation, post
from signet.wire.recall import Recalled, RecallResult


class ToldMemory(TypedDict):
    id: str
    content: str
    type: str
    importance: float
    created_at: str


class StartedSession(TypedDict):
    """The context of a session start; `inject` is the text for the model. Without identity if the hook does nothing."""

    inject: str
    memories: list[ToldMemory]
    identity: NotRequired[dict[str, str]]
    recentContext: NotRequired[str]
    warnings: NotRequired[list[str]]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class Prompted(TypedDict):
    """The context of a prompt; `inject` is the text for the model."""

    inject: str
    memoryCount: int
    queryTerms: NotRequired[str]
    engine: NotRequired[str]
    sessionKnown: NotRequired[bool]
    warnings: NotRequired[list[str]]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class EndedCall(TypedDict):
    """Whether new text of a session will be processed, and by which job; `masked` names masked secrets."""

    queued: NotRequired[bool]
    jobId: NotRequired[str]
    masked: NotRequired[list[str]]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class EndedTurn(EndedCall):
    skipped: NotRequired[bool]


class EndedSession(EndedCall):
    memoriesSaved: int


class Precompaction(TypedDict):
    """Instructions for the summary before compaction; `instructions` only where hooks do nothing, and empty."""

    summaryPrompt: str
    #: One line for harnesses that leave it in the context.
    note: NotRequired[str]
    guidelines: str
    instructions: NotRequired[str]
    bypassed: NotRequired[bool]


class Compacted(TypedDict):
    success: bool
    memoryId: NotRequired[str]
    bypassed: NotRequired[bool]


class RememberedByHook(TypedDict):
    """The memory of a text; `deduped`: it already existed."""

    success: bool
    saved: bool
    id: str
    memoryId: str
    deduped: bool
    masked: NotRequired[list[str]]


class NothingRemembered(TypedDict):
    """Nothing was saved, because hooks are disabled here; `memories` is empty."""

    success: bool
    memories: list[str]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class OfflineContext(TypedDict):
    """A session start of a project, and its standing rules; either may be empty."""

    project: str
    inject: str
    rules: str


class OfflineContexts(TypedDict):
    """The offline copy of a machine; it replaces the previous one."""

    at: str
    contexts: list[OfflineContext]


class NothingRecalled(TypedDict):
    """There was no search, because hooks are disabled here; the lists are empty."""

    memories: list[RecallResult]
    results: list[RecallResult]
    count: int
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


START_SESSION = post("/api/hooks/session-start", access.REMEMBER, StartedSession)
SUBMIT_PROMPT = post("/api/hooks/user-prompt-submit", access.RECALL, Prompted)
HOOK_RECALL: Operation[Recalled | NothingRecalled] = post(
    "/api/hooks/recall", access.RECALL, (Recalled, NothingRecalled)
)
HOOK_REMEMBER: Operation[RememberedByHook | NothingRemembered] = post(
    "/api/hooks/remember", access.REMEMBER, (RememberedByHook, NothingRemembered)
)
PREPARE_OFFLINE = post("/api/hooks/offline", access.RECALL, OfflineContexts)
BEFORE_COMPACTION = post("/api/hooks/pre-compaction", access.REMEMBER, Precompaction)
AFTER_COMPACTION = post("/api/hooks/compaction-complete", access.REMEMBER, Compacted)
END_TURN = post("/api/hooks/session-checkpoint-extract", access.REMEMBER, EndedTurn)
END_SESSION = post("/api/hooks/session-end", access.REMEMBER, EndedSession)
