"""Finding memories: by a question, by words, by nearness."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class Channel(TypedDict):
    """What one channel of recall said about a result: its score, and its rank when it found the result itself.

    The channel of words also says how many words of the question the result holds, and their bm25 together.
    """

    score: float
    rank: NotRequired[int]
    bm25: NotRequired[float]
    words: NotRequired[int]


class Stage(TypedDict):
    """What one stage of recall did to the score of a result."""

    stage: str
    before: float
    after: float


class Why(TypedDict):
    """Why a result is where it is."""

    relevance: NotRequired[float]
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
    #: Whose words it is: user, agent, inferred, imported, tool or web; `review` is `waiting` for an order that no
    #: person has approved.
    origin: NotRequired[str]
    review: NotRequired[str]
    event_at: NotRequired[str]
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
    #: The results once more, for older programs.
    memories: list[Hit]
    count: int
    stats: RecallStats
    nearest: NotRequired[Nearest]
    entities: NotRequired[Sequence[Mapping[str, Any]]]
    sources: NotRequired[Mapping[str, str]]
    time: NotRequired[Mapping[str, Any]]
    explain: NotRequired[Mapping[str, Any]]
    degraded: NotRequired[Sequence[str]]


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


class FoundMany(TypedDict):
    """Memories found by words, filters or nearness, best first."""

    results: list[Found]


class Values(TypedDict):
    """Every value of one field, in alphabetical order."""

    values: list[str]


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


RECALL = Operation("POST", "/api/memory/recall", access.RECALL, Recalled)
RECALL_BY_ADDRESS = Operation("GET", "/api/memory/search", access.RECALL, Recalled)
CONTEXT: Operation[ContextAnswer | EpisodePage] = Operation(
    "POST", "/api/memory/context", access.RECALL, (ContextAnswer, EpisodePage)
)
SEARCH: Operation[FoundMany | Values] = Operation(
    "GET", "/memory/search", access.RECALL, (FoundMany, Values)
)
SIMILAR = Operation("GET", "/memory/similar", access.RECALL, FoundMany)
