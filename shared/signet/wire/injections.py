"""The answer of `GET /api/sessions/{key}/context`: a session's injections, their sources and use."""

from typing import Literal, TypedDict


class UsedIn(TypedDict, total=False):
    """Where an item was used: the message's number in the transcript, from 0, and the tool of a call."""

    turn: int
    tool: str


class ContextItem(TypedDict):
    """An injected or omitted item.

    `kind`: memory, session, commit, document or section. `reason`: why it was injected (match, same_matter,
    important, pinned, linked, project_words, standing, rule) or omitted (floor, budget, said, origin). `tokens`:
    estimated, four characters each. `use` is null if unknown: sections, and episodes without text. `state`: kept,
    changed (since), forgotten (since), gone, or none without a text; `text` exists in the first two.
    """

    kind: str
    id: str
    reason: str
    #: The reason, or what a section is, in words.
    says: str
    project: str | None
    score: float | None
    saidAt: str | None
    chars: int
    tokens: int
    use: Literal["used", "not used", "not known yet"] | None
    usedBy: Literal["named", "quoted", "values", "words"] | None
    usedIn: UsedIn | None
    state: Literal["kept", "changed", "forgotten", "gone", "none"]
    text: str | None
    sourceType: str | None
    sourceId: str | None


class ContextInjection(TypedDict):
    """One injection.

    `phase`: start, prompt, compaction or recall; `prompt` is the number of the prompt, from 1, or 0 before the first.
    `message` is the start of the prompt if the transcript has it, `turn` the number of the message, from 0, before
    which it was injected. `bestScore` is the nearest memory's, `floor` the required score.
    """

    phase: str
    prompt: int
    at: str
    turn: int | None
    message: str | None
    chars: int
    tokens: int
    bestScore: float | None
    floor: float | None
    given: list[ContextItem]
    leftOut: list[ContextItem]


class ContextTotals(TypedDict):
    """Totals of a session; `given` and `leftOut` count items without sections."""

    prompts: int
    given: int
    used: int
    notUsed: int
    unknown: int
    leftOut: int
    chars: int
    tokens: int


class MemoryUse(TypedDict):
    """A session that a memory was injected into, or omitted from (`given` false), and why; `use` as in its context."""

    sessionKey: str
    agentId: str
    harness: str
    project: str | None
    phase: str
    prompt: int
    at: str
    given: bool
    reason: str
    score: float | None
    use: Literal["used", "not used", "not known yet"] | None


class MemoryUsage(TypedDict):
    """How often a memory was used, and the sessions that considered it, latest first."""

    memoryId: str
    accessCount: int
    lastAccessed: str | None
    uses: list[MemoryUse]
    count: int


class Spoken(TypedDict):
    """One message: `role` is user, assistant, note or the name of a speaker; `at` if known."""

    role: str
    text: str
    at: str | None


class SessionMemory(TypedDict):
    """A memory of a session: `saved` by the agent, or `distilled` from it."""

    id: str
    content: str
    type: str
    createdAt: str
    how: Literal["saved", "distilled"]


class SessionContext(TypedDict):
    """A session's injections; until `isOver`, it may still use some."""

    sessionKey: str
    agentId: str
    harness: str
    project: str | None
    startedAt: str
    isOver: bool
    totals: ContextTotals
    injections: list[ContextInjection]


class SessionOverview(TypedDict):
    """The subject of a session; empty until its transcript is indexed.

    `title` and `outcome` are lines of at most 80 characters: the user's request or a model's title, and the result.
    `decisions` are the user's, `files` were changed by tools, with paths relative to the project; both oldest first.
    """

    title: str | None
    outcome: str | None
    decisions: list[str]
    files: list[str]


class SessionReplay(SessionContext, SessionOverview):
    """A whole session: overview, injections, messages, memories and summary.

    `turns` are the messages of its transcript, to which `turn` and `usedIn` refer; none without a transcript, or for
    a caller who may see only part of the session.
    """

    turns: list[Spoken]
    memories: list[SessionMemory]
    summary: str | None
