"""What was learned of memories: how it does against the order without it, and whether it takes part."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import Operation


class PredictorModel(TypedDict):
    """What is learned; `trained` says whether a memory counts more or less by it.

    `training_pairs` is the number of labels. No vectors are learned from, so that both dimensions are 0.
    """

    trained: bool
    training_pairs: int
    model_version: int | None
    last_trained: str | None
    native_dimensions: int
    feature_dimensions: int


class PredictorState(TypedDict):
    """Whether what was learned takes part: `alpha` is 1 while it is watched, 0 while it does.

    `sessions` are those that were compared since it was last begun anew, `minSessions` the fewest that can prove it.
    `evidence` must reach `enoughEvidence`.
    """

    alpha: float
    successRate: float
    coldStartExited: bool
    sessions: int
    minSessions: int
    activeVersion: int | None
    lastRollback: str | None
    wins: int
    losses: int
    ties: int
    evidence: float
    enoughEvidence: float


class PredictorOff(TypedDict):
    """The settings have switched learned ranking off."""

    enabled: bool
    status: None


class PredictorStatus(TypedDict):
    """How learned ranking does."""

    enabled: bool
    alive: bool
    crashCount: int
    crashDisabled: bool
    status: PredictorModel
    state: PredictorState


class Compared(TypedDict):
    """One session, ranked without what was learned and with it; lists hold ids of memories, best first."""

    id: str
    sessionKey: str
    agentId: str
    predictorNdcg: float
    baselineNdcg: float
    predictorWon: bool
    margin: float
    alpha: float
    emaUpdated: bool
    focalEntityId: str | None
    focalEntityName: str | None
    project: str | None
    candidateCount: int
    traversalCount: int
    constraintCount: int
    scorerConfidence: float
    successRate: float | None
    predictorTopIds: list[str]
    baselineTopIds: list[str]
    relevanceScores: dict[str, float]
    ftsOverlapScore: float | None
    createdAt: str


class ComparisonPage(TypedDict):
    """Some of the sessions, newest first, and how many there are."""

    total: int
    limit: int
    offset: int
    items: list[Compared]


class ProjectResult(TypedDict):
    """How learned ranking did in the sessions of one project."""

    project: str | None
    wins: int
    losses: int
    winRate: float
    avgMargin: float


class ProjectResults(TypedDict):
    """How learned ranking did, by project, the one with most sessions first."""

    items: list[ProjectResult]


class EntityResult(TypedDict):
    """How learned ranking did in the sessions about one entity."""

    entityId: str
    entityName: str | None
    wins: int
    losses: int
    winRate: float
    avgMargin: float


class EntityResults(TypedDict):
    """How learned ranking did, by entity, the one with most sessions first."""

    items: list[EntityResult]


class Training(TypedDict):
    """A time at which what was learned was let take part (`accepted`), or stopped, after so many sessions.

    Nothing is trained, so that what tells of a model is null; older stores have rows that tell of one.
    """

    id: str
    agentId: str
    modelVersion: int
    loss: float | None
    sampleCount: int
    durationMs: int
    canaryNdcg: float | None
    canaryNdcgDelta: float | None
    canaryScoreVariance: float | None
    canaryTopkChurn: float | None
    createdAt: str
    accepted: bool | None
    reason: str | None


class Trainings(TypedDict):
    """When what was learned was let take part and stopped, newest first."""

    items: list[Training]


class PairCount(TypedDict):
    """How many labels there are to learn from."""

    count: int


class Trained(TypedDict):
    """What was worked out anew from all labels: `samples_used` counts those that count, `samples_skipped` the others.

    `step` is the rule by which labels become factors, and `checkpoint_saved` whether anything was learned by it. No
    model is fitted, so that its loss, its canary and its file are null.
    """

    loss: float | None
    step: int
    samples_used: int
    samples_skipped: int
    duration_ms: int
    canary_score_variance: float | None
    canary_topk_stability: float | None
    checkpoint_path: str | None
    checkpoint_saved: bool


class RolledBack(TypedDict):
    """Which version takes part now: none."""

    activeVersion: int | None


PREDICTOR_STATUS = Operation(
    "GET", "/api/predictor/status", access.ANALYTICS, (PredictorStatus, PredictorOff)
)
COMPARISONS = Operation("GET", "/api/predictor/comparisons", access.ANALYTICS, ComparisonPage)
COMPARISONS_BY_PROJECT = Operation(
    "GET", "/api/predictor/comparisons/by-project", access.ANALYTICS, ProjectResults
)
COMPARISONS_BY_ENTITY = Operation(
    "GET", "/api/predictor/comparisons/by-entity", access.ANALYTICS, EntityResults
)
TRAININGS = Operation("GET", "/api/predictor/training", access.ANALYTICS, Trainings)
TRAINING_PAIRS = Operation(
    "GET", "/api/predictor/training-pairs-count", access.ANALYTICS, PairCount
)
TRAIN = Operation("POST", "/api/predictor/train", access.OPERATOR, Trained)
ROLL_BACK = Operation("POST", "/api/predictor/rollback", access.OPERATOR, RolledBack)
