"""The answer of `GET /api/sessions/{key}/context`: what a session was given, from where, and what it used."""

from typing import Literal, TypedDict


class UsedIn(TypedDict, total=False):
    """Where an item was used: the number of the message in the transcript, from 0, and the tool if it was a call."""

    turn: int
    tool: str


class ContextItem(TypedDict):
    """Something that a session was given, or that was left out of what it was given.

    `kind`: memory, session, commit, document or section. `reason`: why it was given (match, same_matter, important,
    pinned, linked, project_words, standing, rule) or left out (floor, budget, said, origin). `tokens`: an estimate, of
    four characters each. `use` is null where it cannot be told: sections, and episodes whose text is gone. `state`:
    kept, changed since, forgotten (since), gone, or none where no text belongs to it; `text` is there in the first two.
    """

    kind: str
    id: str
    reason: str
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
    """One text that a session was given.

    `phase`: start, prompt, compaction or recall; `prompt` is the number of the prompt, from 1, that it belongs to, 0
    before the first. `message` is the beginning of the prompt where the transcript has it, `turn` the number of the
    message in it, from 0, that this was there from. `bestScore` is that of the nearest memory, `floor` what it had to
    reach.
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
    """Sums over a session; `given` and `leftOut` count items without sections."""

    prompts: int
    given: int
    used: int
    notUsed: int
    unknown: int
    leftOut: int
    chars: int
    tokens: int


class MemoryUse(TypedDict):
    """A session that a memory was given to, or was left out of (`given` false), and why; `use` as in its context."""

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
    """How often a memory was used, and the sessions it was considered for, latest first."""

    memoryId: str
    accessCount: int
    lastAccessed: str | None
    uses: list[MemoryUse]
    count: int


class Spoken(TypedDict):
    """What one side said: `role` is user, assistant, note or the name of a speaker; `at` where that is known."""

    role: str
    text: str
    at: str | None


class SessionMemory(TypedDict):
    """A memory that is of a session: `saved` in it by the agent, or `distilled` from it."""

    id: str
    content: str
    type: str
    createdAt: str
    how: Literal["saved", "distilled"]


class SessionContext(TypedDict):
    """What a session was given; not `isOver` while it may still use some of it."""

    sessionKey: str
    agentId: str
    harness: str
    project: str | None
    startedAt: str
    isOver: bool
    totals: ContextTotals
    injections: list[ContextInjection]


class SessionReplay(SessionContext):
    """A session as it went: what it was given, what was said, what was remembered, and how it was summarised.

    `turns` are the messages of its transcript, to which `turn` and `usedIn` point; none without a transcript, or for a
    caller who sees only a part of the session.
    """

    turns: list[Spoken]
    memories: list[SessionMemory]
    summary: str | None
