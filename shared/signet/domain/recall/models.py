"""What is asked of recall, and what it answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum

from signet.config import Settings
from signet.db.visibility import Reader
from signet.domain.graph.traversal import Traversal, TraversalBounds
from signet.domain.injections.models import Ranked
from signet.domain.skills import files
from signet.domain.skills.files import SkillLimits
from signet.providers.scale import FITTED, Scale
from signet.wire.recall import Newer

#: The number of results a caller may ask for.
MAX_LIMIT = 100
DEFAULT_LIMIT = 10

DEFAULT_MIN_SCORE = 0.1
DEFAULT_FLOOR = 0.4

#: The internal number of a memory (`memories.seq`) to its score.
Scores = dict[int, float]

#: Gives the vector of a question by how much its words tell (`providers.ports.Reading`), None when there is none now.
#: The first call may wait for it.
QueryVector = Callable[[Mapping[str, float]], bytes | None]


class FoundBy(StrEnum):
    """What brought a result."""

    HYBRID = "hybrid"
    VECTOR = "vector"
    KEYWORD = "keyword"
    TRAVERSAL = "traversal"
    GRAPH = "graph"
    CONSTRUCTED = "constructed"
    SKILL = "skill"
    EPISODE = "episode"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a result must be; None or empty asks nothing. Times are ISO-8601 text, inclusive."""

    type: str | None = None
    tags: tuple[str, ...] = ()
    who: str | None = None
    pinned: bool | None = None
    importance_min: float | None = None
    since: str | None = None
    until: str | None = None
    project: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """Which sessions and commits a prompt may get: of one project (empty: of none, None: of any), without its own."""

    project: str | None
    but: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question. `keyword_text` replaces the text for the keyword search alone."""

    text: str
    reader: Reader
    keyword_text: str | None = None
    limit: int = DEFAULT_LIMIT
    filters: Filters = field(default_factory=Filters)
    #: None: those that the reader and the filters allow.
    sessions: Sessions | None = None
    #: What "yesterday" is measured from (None: the clock), and in which zone days begin (None: the machine's).
    now: datetime | None = None
    zone: tzinfo | None = None
    #: Answer as the store would have then; None asks for what is believed now.
    as_of: datetime | None = None
    #: With `as_of`, also what was forgotten since: for those who may recover it (MEM-19).
    forgotten: bool = True
    min_score: float | None = None
    #: Relevance that a result must have, whatever the limit; 0 asks for all, None is for the settings to say.
    floor: float | None = None
    #: Leave out what does not belong to the communities of what the question names (community.py).
    community: bool = False
    expand: bool = False
    entities: bool = False
    cards: bool = False
    explain: bool = False
    #: The id of a memory of which is wanted why it is no result.
    why_not: str | None = None

    @property
    def size(self) -> int:
        """Return the limit within 1..`MAX_LIMIT`."""
        return min(MAX_LIMIT, max(1, self.limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """The settings of recall, read from agent.yaml by `settings_of`."""

    #: Weight of meaning against words; the fitted weights hold at 0.7.
    alpha: float = 0.7
    top_k: int = 20
    #: Where the cosines of the embedding model lie.
    scale: Scale = FITTED
    #: Score that a result must have however many are asked for, where it is above the default.
    min_score: float = DEFAULT_MIN_SCORE
    #: Relevance that a result on a page must have; 0 switches it off.
    floor: float = DEFAULT_FLOOR
    hints: bool = True
    embedding_model: str | None = None
    graph: bool = True
    traversal: bool = True
    traversal_timeout_ms: int = 500
    bounds: TraversalBounds = field(default_factory=TraversalBounds)
    truncate_chars: int = 500
    #: Whether skills are results, and below what none of them fades.
    skills: bool = True
    #: The skills of agents that do not see all of them (skills/find.py).
    skill_limits: SkillLimits = field(default_factory=dict)
    skill_importance: float = 0.3
    #: Whether commit messages are results.
    commits: bool = True
    #: Whether what was learned of memories counts, as far as it has proven itself.
    learns: bool = True


@dataclass(frozen=True, slots=True)
class ScoreStep:
    """What one stage did to the score of one result."""

    stage: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a result is where it is: its score and rank in each channel that knew it, then the stages."""

    channels: Mapping[str, Mapping[str, float]]
    steps: tuple[ScoreStep, ...]
    #: bm25 of each word of the question that it holds.
    matched: Mapping[str, float] = field(default_factory=dict)
    #: Ids of memories beside it that were found, and names of what the graph led over to it.
    neighbours: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    #: Probability that it answers (`rank.py`); None where it was not ranked.
    relevance: float | None = None
    #: In how many sessions it helped, of those that showed whether it did; None where none has.
    helped: tuple[int, int] | None = None


class PartKind(StrEnum):
    """How a part belongs to its result: another piece of the same text, a fact read from it, or a copy."""

    PASSAGE = "passage"
    FACT = "fact"
    COPY = "copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPart:
    """A memory that is found below another one, because both say the same or are of one text."""

    id: str
    kind: PartKind
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result, with all that clients read."""

    id: str
    content: str
    score: float
    source: FoundBy
    type: str
    tags: str | None = None
    pinned: bool = False
    importance: float = 0.5
    who: str | None = None
    project: str | None = None
    created_at: str
    source_type: str | None = None
    source_id: str | None = None
    access_count: int = 0
    last_accessed: str | None = None
    supplementary: bool = False
    #: When it happened, if that is known; the id of what replaced it, and from when to when it held.
    event_at: str | None = None
    superseded_by: str | None = None
    #: The later statement that replaces it by its words (topics.py).
    newer: Newer | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    #: Whose words it is, and what a person has said of it (wire/origin.py); a skill has neither.
    origin: str | None = None
    review: str | None = None
    #: What else was found of the same saying, best first.
    parts: tuple[ResultPart, ...] = ()
    why: Why | None = None
    #: By what it was ranked without what was learned of it, and with it; None where it did not compete.
    ranked: Ranked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """What came nearest to an empty page, and why it is not on it, in words."""

    hit: Hit
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Why a memory is no result, in words; `place` counts from 1 where it is one."""

    id: str
    left_out: str
    place: int | None = None
    score: float | None = None
    why: Why | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The answer: results best first, supplements behind them."""

    query: str
    method: str
    hits: tuple[Hit, ...] = ()
    #: The terms that were looked for (`fts.content_words`).
    words: tuple[str, ...] = ()
    #: Only where there are no hits.
    nearest: Nearest | None = None
    entities: tuple[Mapping[str, object], ...] | None = None
    sources: Mapping[str, str] | None = None
    #: Stages that could not run; recall went on without them.
    degraded: tuple[str, ...] = ()
    took_ms: float = 0.0
    truncate_chars: int = 500
    stats: Mapping[str, int] = field(default_factory=dict)
    #: How the time in the question was understood; told only when the query asks for it.
    time: Mapping[str, object] | None = None
    #: Why the answer is what it is; told only when the query asks for it.
    account: Mapping[str, object] | None = None
    #: Why the memory of `Query.why_not` is no result.
    why_not: "WhyNot | None" = None
    #: The walk through the graph, for the status of walks.
    walk: Traversal = field(default_factory=Traversal)


def settings_of(
    settings: Settings, *, embedding_model: str | None, scale: Scale = FITTED
) -> RecallSettings:
    """Return the recall settings; vectors of another model than `embedding_model` are left out (None: none are)."""
    search, pipeline = settings.search, settings.pipeline
    traversal = pipeline.traversal
    return RecallSettings(
        alpha=search.alpha,
        top_k=search.top_k,
        min_score=search.min_score,
        floor=search.floor,
        hints=pipeline.hints.enabled,
        embedding_model=embedding_model,
        scale=scale,
        graph=pipeline.graph.enabled,
        traversal=traversal.enabled,
        traversal_timeout_ms=traversal.timeout_ms,
        bounds=TraversalBounds(
            aspects_per_entity=traversal.max_aspects_per_entity,
            attributes_per_aspect=traversal.max_attributes_per_aspect,
            branching=traversal.max_branching,
            hops=traversal.max_dependency_hops,
            memories=traversal.max_traversal_paths,
            min_strength=traversal.min_dependency_strength,
            min_confidence=traversal.min_confidence,
        ),
        truncate_chars=pipeline.guardrails.recall_truncate_chars,
        skill_limits=files.limits(settings),
        skills=pipeline.procedural.enabled,
        commits=settings.hooks.session_start.read_commits,
        learns=pipeline.predictor.enabled,
        skill_importance=pipeline.procedural.min_importance,
    )
