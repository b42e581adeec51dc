"""Sessions: active ones, transcripts, checkpoints."""

from typing import Literal, NotRequired, TypedDict

from signet.wire import access
from signet.wire.capture import LogCounts
from signet.wire.injections import SessionContext, SessionOverview, SessionReplay
from signet.wire.memory import Derived
from signet.wire.operation import Operation, get, post


class RunningSession(TypedDict):
    key: str
    runtimePath: str
    claimedAt: str | None
    expiresAt: str | None
    agentId: str
    bypassed: bool
    harness: str | None
    project: str | None


class RunningSessions(TypedDict):
    sessions: list[RunningSession]
    count: int


#: Sessions with no injections, or with none used.
Use = Literal["given_nothing", "used_nothing"]


class ListedSession(SessionOverview):
    """An active or ended session with its overview and counts of injected and used items.

    `endedAt` is null while it runs, `seconds` its duration up to its last message. `given` excludes sections of the
    start, and `tokens` are estimated.
    """

    key: str
    agentId: str
    harness: str | None
    project: str | None
    startedAt: str
    lastAt: str
    endedAt: str | None
    seconds: int
    bypassed: bool
    prompts: int
    given: int
    used: int
    tokens: int


class SessionPage(TypedDict):
    """Sessions, latest activity first; `next` is the cursor of the next page, null on the last."""

    sessions: list[ListedSession]
    count: int
    next: str | None


class Bypassed(TypedDict):
    """Whether the session's hooks are disabled."""

    key: str
    bypassed: bool


class RenewedSession(TypedDict):
    """The new expiry of a session's claim."""

    key: str
    renewed: bool
    expiresAt: str


class StoredTranscript(TypedDict):
    sessionKey: str
    agentId: str
    harness: str | None
    project: str | None
    content: str
    createdAt: str
    updatedAt: str | None
    #: The counts of its log; null for a session without one.
    reading: NotRequired[LogCounts | None]


class SessionTranscript(StoredTranscript, SessionOverview): ...


class TranscriptExcerpt(TypedDict):
    sessionKey: str
    agentId: str
    harness: str | None
    project: str | None
    at: str
    excerpt: str
    hits: int


class Excerpts(TypedDict):
    results: list[TranscriptExcerpt]
    count: int


class SessionSummary(TypedDict):
    id: str
    project: str | None
    depth: int
    kind: str
    content: str
    token_count: int | None
    earliest_at: str
    latest_at: str
    session_key: str | None
    harness: str | None
    agent_id: str
    created_at: str
    childCount: int


class SummaryPage(TypedDict):
    summaries: list[SessionSummary]
    total: int


class StoredCheckpoint(TypedDict):
    """A stored checkpoint of a session; lists are JSON."""

    id: str
    session_key: str
    harness: str
    project: str | None
    project_normalized: str | None
    trigger: str
    digest: str
    prompt_count: int
    memory_queries: str | None
    recent_remembers: str | None
    focal_entity_ids: str | None
    focal_entity_names: str | None
    active_aspect_ids: str | None
    surfaced_constraint_count: int | None
    traversal_memory_count: int | None
    created_at: str


class SessionCheckpoint(StoredCheckpoint):
    memoryQueries: list[str]
    recentRemembers: list[str]
    focalEntityIds: list[str]
    focalEntityNames: list[str]
    activeAspectIds: list[str]


class Checkpoints(TypedDict):
    checkpoints: list[SessionCheckpoint]
    count: int


class SessionGoing(Derived):
    """What forgetting a session deletes: characters of its transcript, search passages, and so on.

    `notes` are files in the workspace, `along` the memories that come only from it; only these can be recovered.
    """

    sessionKey: str
    agentId: str
    transcriptChars: int
    passages: int
    summaries: int
    checkpoints: int
    given: int
    notes: list[str]


class SessionPreview(SessionGoing):
    mode: Literal["preview"]


class SessionForgotten(SessionGoing):
    """What forgetting a session deleted; `notesKept` were edited by a person, `heldBy` may still contain its texts."""

    mode: Literal["execute"]
    notesKept: list[str]


SESSIONS: Operation[RunningSessions | SessionPage] = get(
    "/api/sessions", access.RECALL, (RunningSessions, SessionPage)
)
SEARCH_SESSIONS = post("/api/sessions/search", access.RECALL, Excerpts)
SESSION_SUMMARIES = get("/api/sessions/summaries", access.RECALL, SummaryPage)
SESSION = get("/api/sessions/{session_key}", access.RECALL, RunningSession)
BYPASS_SESSION = post("/api/sessions/{session_key}/bypass", access.REMEMBER, Bypassed)
RENEW_SESSION = post("/api/sessions/{session_key}/renew", access.REMEMBER, RenewedSession)
FORGET_SESSION: Operation[SessionPreview | SessionForgotten] = post(
    "/api/sessions/{session_key}/forget", access.FORGET_MANY, (SessionPreview, SessionForgotten)
)
TRANSCRIPT = get("/api/sessions/{session_key}/transcript", access.RECALL, SessionTranscript)
SESSION_CONTEXT = get("/api/sessions/{session_key}/context", access.RECALL, SessionContext)
SESSION_REPLAY = get("/api/sessions/{session_key}/replay", access.RECALL, SessionReplay)
CHECKPOINTS = get("/api/checkpoints", access.RECALL, Checkpoints)
SESSION_CHECKPOINTS = get("/api/checkpoints/{session_key}", access.RECALL, Checkpoints)
