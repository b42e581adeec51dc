"""Finding memories: by a question, by words, by nearness."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class Channel(TypedDict):
    """What one channel of recall said about a result: its score, and its rank when it found the result itself.

    `says` names in words what it looks at. The channel of words also says which words of the question the result
    holds, each with its bm25, how many these are, and their bm25 together.
    """

    score: float
    says: str
    rank: NotRequired[int]
    bm25: NotRequired[float]
    words: NotRequired[int]
    matched: NotRequired[Mapping[str, float]]


class Stage(TypedDict):
    """What one stage of recall did to the score of a result; `says` gives the reason in words."""

    stage: str
    before: float
    after: float
    says: str


class Helped(TypedDict):
    """In how many sessions a memory helped, of those that showed whether it did."""

    times: int
    of: int


class Why(TypedDict):
    """Why a result is where it is.

    `neighbours` are ids of memories beside it in its source that were found, too. `path` are the names of entity,
    linked entity and aspect by which the graph led from the question to it. `helped` is there where a session has
    shown whether it helps.
    """

    relevance: NotRequired[float]
    channels: dict[str, Channel]
    stages: list[Stage]
    neighbours: NotRequired[list[str]]
    path: NotRequired[list[str]]
    helped: NotRequired[Helped]


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


class WhyNot(TypedDict):
    """Why a memory is not among the results, or where it stands there; its score only where it was looked at."""

    id: str
    left_out: str
    place: NotRequired[int]
    score: NotRequired[float]
    explain: NotRequired[Why]


class AsPrompt(TypedDict):
    """The text that a session would be given with the question as its prompt, and about how many tokens that is."""

    text: str
    chars: int
    tokens: int


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
    #: Stages that the answer had to do without, and why, where that is known.
    degraded: NotRequired[Sequence[str]]
    degraded_reasons: NotRequired[dict[str, str]]
    why_not: NotRequired[WhyNot]
    prompt: NotRequired[AsPrompt]


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
