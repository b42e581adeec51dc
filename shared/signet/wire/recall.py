"""Search results: by question, words or similarity."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation, get, post


class Channel(TypedDict):
    """A result's score in one channel, and its rank if the channel found it.

    `says` describes the channel. The keyword channel also lists the question's words in the result with their bm25,
    their number, and their total bm25.
    """

    score: float
    says: str
    rank: NotRequired[int]
    bm25: NotRequired[float]
    words: NotRequired[int]
    matched: NotRequired[Mapping[str, float]]


class Stage(TypedDict):
    """The effect of one stage on a result's score; `says` gives the reason."""

    stage: str
    before: float
    after: float
    says: str


class Helped(TypedDict):
    """In how many sessions a memory helped, of those with a label."""

    times: int
    of: int


class Explanation(TypedDict):
    """Why a result has its rank.

    `neighbours` are IDs of neighbouring results from its source. `path` are the names of entity, linked entity and
    aspect on the graph's path from the question. `helped` exists if a session has a label.
    """

    relevance: NotRequired[float]
    channels: dict[str, Channel]
    stages: list[Stage]
    neighbours: NotRequired[list[str]]
    path: NotRequired[list[str]]
    helped: NotRequired[Helped]


class MergedMemory(TypedDict):
    """A memory merged into a result, and the start of its text.

    `kind` is `passage` (another chunk of the text), `fact` (derived from it) or `copy`.
    """

    id: str
    kind: str
    content: str


class Newer(TypedDict):
    """A later statement that seems to replace a result; nothing is stored, and no person has confirmed it.

    `id` is a memory, session or commit, `since` its time, `says` its words. `replaces` is the older statement;
    `is_part` if the result contains others.
    """

    id: str
    since: str
    says: str
    replaces: str
    is_part: bool


class SharedBy(TypedDict):
    """The author of a memory in a space."""

    by: str
    space: str


class RecallResult(TypedDict):
    """One result of recall; `score` is its relevance, between 0 and 1; `truncated` marks a shortened content.

    A `superseded` one was corrected by the memory `superseded_by`. `parts` lists merged memories, best first and at
    most ten; `more` describes them.
    """

    id: str
    content: str
    #: Type and source in words.
    says: str
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
    #: Origin: user, agent, inferred, imported, tool or web; `review` is `waiting` for an unapproved instruction.
    origin: NotRequired[str]
    review: NotRequired[str]
    shared: NotRequired[SharedBy]
    event_at: NotRequired[str]
    valid_from: NotRequired[str]
    valid_to: NotRequired[str]
    superseded: NotRequired[bool]
    superseded_by: NotRequired[str]
    newer: NotRequired[Newer]
    supplementary: NotRequired[bool]
    #: Places of the question's words in `content`, if requested: [start, end) in Unicode code points (in JavaScript,
    #: index `Array.from(content)`), in order, apart, and never inside a visible sign.
    highlights: NotRequired[list[list[int]]]
    #: The title of a passage's session, if highlights are requested.
    title: NotRequired[str]
    parts: NotRequired[list[MergedMemory]]
    more: NotRequired[str]
    explain: NotRequired[Explanation]


class NearestMiss(RecallResult):
    """The memory nearest to an empty page, and why it was left out."""

    left_out: str


class OmittedMemory(TypedDict):
    """Why a memory is not among the results, or its rank; a score only if it was a candidate."""

    id: str
    left_out: str
    place: NotRequired[int]
    score: NotRequired[float]
    explain: NotRequired[Explanation]


class AsPrompt(TypedDict):
    """The text that a session would receive for the question as its prompt, and its estimated tokens."""

    text: str
    chars: int
    tokens: int


class RecallStats(TypedDict):
    """The number of results, and recall's time in milliseconds."""

    total: int
    searchTime: float


class Recalled(TypedDict):
    """The answer to a question, best result first."""

    results: list[RecallResult]
    query: str
    method: str
    #: The results again, for older programs.
    memories: list[RecallResult]
    count: int
    stats: RecallStats
    nearest: NotRequired[NearestMiss]
    entities: NotRequired[Sequence[Mapping[str, Any]]]
    sources: NotRequired[Mapping[str, str]]
    time: NotRequired[Mapping[str, Any]]
    explain: NotRequired[Mapping[str, Any]]
    #: Skipped stages, with the reason if known.
    degraded: NotRequired[Sequence[str]]
    degraded_reasons: NotRequired[dict[str, str]]
    #: True if there is no result, and new texts wait for the vectors by which they are found by meaning.
    incomplete: NotRequired[bool]
    why_not: NotRequired[OmittedMemory]
    prompt: NotRequired[AsPrompt]


class FoundMemory(TypedDict):
    """A memory found by words, filters or similarity; `tags` is a list when found by similarity."""

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
    results: list[FoundMemory]


class ColumnValues(TypedDict):
    values: list[str]


class ContextSource(TypedDict):
    """A source in a context: a rule, a memory, or a passage of a session, commit, memory or document.

    The `id` of a passage is one for `episode`.
    """

    id: str
    type: str
    content: str
    date: NotRequired[str]
    project: NotRequired[str | None]


class ContextAnswer(TypedDict):
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


RECALL = post("/api/memory/recall", access.RECALL, Recalled)
RECALL_BY_ADDRESS = get("/api/memory/search", access.RECALL, Recalled)
CONTEXT: Operation[ContextAnswer | EpisodePage] = post(
    "/api/memory/context", access.RECALL, (ContextAnswer, EpisodePage)
)
SEARCH: Operation[FoundMany | ColumnValues] = get(
    "/memory/search", access.RECALL, (FoundMany, ColumnValues)
)
SIMILAR = get("/memory/similar", access.RECALL, FoundMany)
