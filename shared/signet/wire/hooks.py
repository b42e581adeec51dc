"""Hooks: what a harness reports of its session, and what the session is given for it.

`bypassed` says that the hooks of the session are to do nothing, `internal` that Signet itself started the process that
asks.
"""

from typing import NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation
from signet.wire.recall import Hit, Recalled


class ToldMemory(TypedDict):
    """A memory that a session was begun with."""

    id: str
    content: str
    type: str
    importance: float
    created_at: str


class StartedSession(TypedDict):
    """What a session begins with; `inject` is the text for the model. Without identity when the hook does nothing."""

    inject: str
    memories: list[ToldMemory]
    identity: NotRequired[dict[str, str]]
    recentContext: NotRequired[str]
    warnings: NotRequired[list[str]]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class Prompted(TypedDict):
    """What a prompt brings to mind; `inject` is the text for the model."""

    inject: str
    memoryCount: int
    queryTerms: NotRequired[str]
    engine: NotRequired[str]
    sessionKnown: NotRequired[bool]
    warnings: NotRequired[list[str]]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class EndedTurn(TypedDict):
    """Whether something new of a session is to be read, and by which job; `masked` names secrets left out of it."""

    queued: NotRequired[bool]
    jobId: NotRequired[str]
    skipped: NotRequired[bool]
    masked: NotRequired[list[str]]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class EndedSession(TypedDict):
    """A session that is over; its transcript is read by a job; `masked` names secrets left out of it."""

    memoriesSaved: int
    queued: NotRequired[bool]
    jobId: NotRequired[str]
    masked: NotRequired[list[str]]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class Precompaction(TypedDict):
    """What to write down before a context is shortened; `instructions` only where hooks do nothing, and empty."""

    summaryPrompt: str
    guidelines: str
    instructions: NotRequired[str]
    bypassed: NotRequired[bool]


class Compacted(TypedDict):
    """The memory that a summary has become, if it has."""

    success: bool
    memoryId: NotRequired[str]
    bypassed: NotRequired[bool]


class RememberedByHook(TypedDict):
    """The memory that a text has become; `deduped` says that it was there before."""

    success: bool
    saved: bool
    id: str
    memoryId: str
    deduped: bool
    masked: NotRequired[list[str]]


class NothingRemembered(TypedDict):
    """Nothing was saved, because hooks do nothing here; `memories` is empty."""

    success: bool
    memories: list[str]
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


class OfflineContext(TypedDict):
    """What a session of a project begins with, and the rules that stand there; either may be empty."""

    project: str
    inject: str
    rules: str


class OfflineContexts(TypedDict):
    """What a machine keeps for the time that it cannot ask; it takes the place of all that it kept before."""

    at: str
    contexts: list[OfflineContext]


class NothingRecalled(TypedDict):
    """Nothing was looked for, because hooks do nothing here; the lists are empty."""

    memories: list[Hit]
    results: list[Hit]
    count: int
    bypassed: NotRequired[bool]
    internal: NotRequired[bool]


START_SESSION = Operation("POST", "/api/hooks/session-start", access.REMEMBER, StartedSession)
SUBMIT_PROMPT = Operation("POST", "/api/hooks/user-prompt-submit", access.RECALL, Prompted)
HOOK_RECALL: Operation[Recalled | NothingRecalled] = Operation(
    "POST", "/api/hooks/recall", access.RECALL, (Recalled, NothingRecalled)
)
HOOK_REMEMBER: Operation[RememberedByHook | NothingRemembered] = Operation(
    "POST", "/api/hooks/remember", access.REMEMBER, (RememberedByHook, NothingRemembered)
)
PREPARE_OFFLINE = Operation("POST", "/api/hooks/offline", access.RECALL, OfflineContexts)
BEFORE_COMPACTION = Operation("POST", "/api/hooks/pre-compaction", access.REMEMBER, Precompaction)
AFTER_COMPACTION = Operation("POST", "/api/hooks/compaction-complete", access.REMEMBER, Compacted)
END_TURN = Operation("POST", "/api/hooks/session-checkpoint-extract", access.REMEMBER, EndedTurn)
END_SESSION = Operation("POST", "/api/hooks/session-end", access.REMEMBER, EndedSession)
