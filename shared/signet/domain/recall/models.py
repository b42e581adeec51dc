"""Queries, results and settings of recall."""

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

#: Most results that a caller may request.
MAX_LIMIT = 100
DEFAULT_LIMIT = 10

DEFAULT_MIN_SCORE = 0.1
DEFAULT_FLOOR = 0.4

#: The internal number of a memory (`memories.seq`) to its score.
Scores = dict[int, float]

#: Computes the question's vector, given the weight of its words (`providers.ports.Reading`); None if unavailable. The
#: first call may block.
QueryVector = Callable[[Mapping[str, float]], bytes | None]


class FoundBy(StrEnum):
    """The channel that found a result."""

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
    """Conditions on a result; None or empty for no condition. Times are ISO-8601 text, inclusive."""

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
    """Sessions and commits available to a prompt: of one project (empty: no project, None: any), except its own."""

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
    #: The reference time for words like "yesterday" (None: the clock), and the time zone of days (None: the machine's).
    now: datetime | None = None
    zone: tzinfo | None = None
    #: Answer from the store's state at this time; None for the current state.
    as_of: datetime | None = None
    #: With `as_of`, include memories forgotten since, for readers who may recover them (MEM-19).
    forgotten: bool = True
    min_score: float | None = None
    #: Minimum relevance of a result, independent of the limit; 0 returns all, None uses the settings.
    floor: float | None = None
    #: Leave out memories outside the communities of the entities that the question names (community.py).
    community: bool = False
    expand: bool = False
    entities: bool = False
    cards: bool = False
    explain: bool = False
    #: The ID of a memory for which the answer explains why it is not a result.
    why_not: str | None = None

    @property
    def size(self) -> int:
        """Return the limit within 1..`MAX_LIMIT`."""
        return min(MAX_LIMIT, max(1, self.limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """The settings of recall, read from agent.yaml by `settings_of`."""

    #: Weight of meaning against words; the fitted weights apply at 0.7.
    alpha: float = 0.7
    top_k: int = 20
    #: The range of the embedding model's cosines.
    scale: Scale = FITTED
    #: Minimum score of a result, independent of the limit, if above the default.
    min_score: float = DEFAULT_MIN_SCORE
    #: Minimum relevance of a result on a page; 0 switches it off.
    floor: float = DEFAULT_FLOOR
    hints: bool = True
    embedding_model: str | None = None
    graph: bool = True
    traversal: bool = True
    traversal_timeout_ms: int = 500
    bounds: TraversalBounds = field(default_factory=TraversalBounds)
    truncate_chars: int = 500
    #: Whether skills are results, and their minimum factor when they fade.
    skills: bool = True
    #: The skills of agents that may not use all of them (skills/find.py).
    skill_limits: SkillLimits = field(default_factory=dict)
    skill_importance: float = 0.3
    #: Whether commit messages are results.
    commits: bool = True
    #: Whether learned usefulness counts, as far as it has proven better.
    learns: bool = True


@dataclass(frozen=True, slots=True)
class ScoreStep:
    """The effect of one stage on a result's score."""

    stage: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a result has its rank: its score and rank in each channel, then the stages."""

    channels: Mapping[str, Mapping[str, float]]
    steps: tuple[ScoreStep, ...]
    #: bm25 of each query word that it contains.
    matched: Mapping[str, float] = field(default_factory=dict)
    #: IDs of neighbouring candidates, and names on the graph's path to it.
    neighbours: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    #: Probability that it answers (`rank.py`); None if it was not ranked.
    relevance: float | None = None
    #: Sessions in which it helped, and sessions with a label; None without a label.
    helped: tuple[int, int] | None = None


class PartKind(StrEnum):
    """How a part belongs to its result: another piece of the same text, a fact extracted from it, or a copy."""

    PASSAGE = "passage"
    FACT = "fact"
    COPY = "copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPart:
    """A memory listed below a result with the same statement or of the same text."""

    id: str
    kind: PartKind
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result, with all fields of the answer."""

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
    agent_id: str | None = None
    visibility: str | None = None
    created_at: str
    source_type: str | None = None
    source_id: str | None = None
    access_count: int = 0
    last_accessed: str | None = None
    supplementary: bool = False
    #: The time of its event, if known; the ID of its successor, and its period of validity.
    event_at: str | None = None
    superseded_by: str | None = None
    #: The later statement that replaces it by its words (topics.py).
    newer: Newer | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    #: Its origin, and its review by a person (wire/origin.py); None for a skill.
    origin: str | None = None
    review: str | None = None
    #: Merged candidates with the same statement, best first.
    parts: tuple[ResultPart, ...] = ()
    why: Why | None = None
    #: Its rank keys without and with learned usefulness; None if it did not compete.
    ranked: Ranked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """The candidate nearest to an empty page, and the reason why it is not on the page."""

    hit: Hit
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """Why a memory is not a result; `place` is its rank from 1 if it is one."""

    id: str
    left_out: str
    place: int | None = None
    score: float | None = None
    why: Why | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The answer: results best first, then supplements."""

    query: str
    method: str
    hits: tuple[Hit, ...] = ()
    #: The search terms (`fts.content_words`).
    words: tuple[str, ...] = ()
    #: Only without hits.
    nearest: Nearest | None = None
    entities: tuple[Mapping[str, object], ...] | None = None
    sources: Mapping[str, str] | None = None
    #: Stages that failed; recall continued without them.
    degraded: tuple[str, ...] = ()
    took_ms: float = 0.0
    truncate_chars: int = 500
    stats: Mapping[str, int] = field(default_factory=dict)
    #: How the question's time was understood; only if the query requests it.
    time: Mapping[str, object] | None = None
    #: The explanation of the answer; only if the query requests it.
    account: Mapping[str, object] | None = None
    #: Why the memory of `Query.why_not` is not a result.
    why_not: "WhyNot | None" = None
    #: The graph walk, for its status.
    walk: Traversal = field(default_factory=Traversal)


def settings_of(
    settings: Settings, *, embedding_model: str | None, scale: Scale = FITTED
) -> RecallSettings:
    """Return the recall settings; only vectors of `embedding_model` are used (None: no vectors)."""
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
