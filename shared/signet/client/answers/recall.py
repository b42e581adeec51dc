"""Answers to questions."""

from typing import Any, NotRequired, TypedDict


class Channel(TypedDict):
    """What one channel of recall said about a result: its score, and its rank when it found the result itself."""

    score: float
    rank: NotRequired[int]


class Stage(TypedDict):
    """What one stage of recall did to the score of a result."""

    stage: str
    before: float
    after: float


class Why(TypedDict):
    """Why a result is where it is."""

    channels: dict[str, Channel]
    stages: list[Stage]


class Part(TypedDict):
    """A memory that was found and says the same as a result, or is of the same text, and how it begins.

    `kind` is `passage` (another piece of the text), `fact` (read from it) or `copy`.
    """

    id: str
    kind: str
    content: str


class Hit(TypedDict):
    """One result of recall; `score` says how relevant it is, between 0 and 1, a content that was cut says `truncated`.

    A `superseded` one was corrected by the memory `superseded_by`. `parts` names what else was found of it, best
    first and at most ten; `more` says so in words.
    """

    id: str
    content: str
    content_length: int
    truncated: bool
    score: float
    source: str
    type: str
    tags: str | None
    pinned: bool
    importance: float
    who: str | None
    project: str | None
    created_at: str
    source_type: str | None
    source_id: str | None
    accessCount: int
    lastAccessed: str | None
    valid_from: NotRequired[str]
    valid_to: NotRequired[str]
    superseded: NotRequired[bool]
    superseded_by: NotRequired[str]
    supplementary: NotRequired[bool]
    parts: NotRequired[list[Part]]
    more: NotRequired[str]
    explain: NotRequired[Why]


class Nearest(Hit):
    """The memory that came nearest to an empty page, and why it is not on it."""

    left_out: str


class RecallStats(TypedDict):
    """How many results, and how long recall took in milliseconds."""

    total: int
    searchTime: float


class Recalled(TypedDict):
    """The answer to a question, best result first."""

    results: list[Hit]
    query: str
    method: str
    count: int
    stats: RecallStats
    nearest: NotRequired[Nearest]
    entities: NotRequired[list[dict[str, Any]]]
    sources: NotRequired[dict[str, str]]
    time: NotRequired[dict[str, Any]]
    degraded: NotRequired[list[str]]


class Found(TypedDict):
    """One memory found by words, filters or nearness; `tags` is a list when found by nearness."""

    id: str
    content: str
    type: str
    created_at: str
    tags: str | list[str] | None
    score: NotRequired[float]
    confidence: NotRequired[float | None]
    who: NotRequired[str | None]
    importance: NotRequired[float]
    pinned: NotRequired[bool]


class ContextSource(TypedDict):
    """One thing that a context tells: a rule, a memory, or a stretch of a session, commit, memory or document.

    The `id` of a stretch is one for `episode`.
    """

    id: str
    type: str
    content: str
    date: NotRequired[str]
    project: NotRequired[str | None]


class ContextAnswer(TypedDict):
    """What is remembered about a prompt."""

    context: str
    sources: list[ContextSource]
    count: int


class EpisodePage(TypedDict):
    """One page of a session, commit, memory or document; pages count from 1."""

    id: str
    type: str
    text: str
    page: int
    pages: int
