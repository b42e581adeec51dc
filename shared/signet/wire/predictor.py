"""Learned ranking: its results against the original order, and its state."""

from typing import TypedDict

from signet.wire import access
from signet.wire.operation import get, post


class PredictorModel(TypedDict):
    """The learned data; `trained`: it changes the weight of a memory.

    `training_pairs` is the number of labels. It uses no vectors, so both dimensions are 0.
    """

    trained: bool
    training_pairs: int
    model_version: int | None
    last_trained: str | None
    native_dimensions: int
    feature_dimensions: int


class PredictorState(TypedDict):
    """Whether learned ranking is active: `alpha` is 1 while it is observed, 0 while active.

    `sessions` are those compared since the last start, `minSessions` the minimum for proof. `evidence` must reach
    `enoughEvidence`.
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
    """The settings disable learned ranking."""

    enabled: bool
    status: None


class PredictorStatus(TypedDict):
    enabled: bool
    alive: bool
    crashCount: int
    crashDisabled: bool
    status: PredictorModel
    state: PredictorState


class ComparedSession(TypedDict):
    """One session, ranked with and without learning; lists contain memory IDs, best first."""

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
    total: int
    limit: int
    offset: int
    items: list[ComparedSession]


class ProjectResult(TypedDict):
    project: str | None
    wins: int
    losses: int
    winRate: float
    avgMargin: float


class ProjectResults(TypedDict):
    items: list[ProjectResult]


class EntityResult(TypedDict):
    entityId: str
    entityName: str | None
    wins: int
    losses: int
    winRate: float
    avgMargin: float


class EntityResults(TypedDict):
    items: list[EntityResult]


class Training(TypedDict):
    """An activation (`accepted`) or stop of learned ranking, after a number of sessions.

    No model is trained, so model fields are null; older stores have rows with a model.
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
    items: list[Training]


class PairCount(TypedDict):
    count: int


class Trained(TypedDict):
    """The result of recomputing from all labels: `samples_used` counts those used, `samples_skipped` the others.

    `step` is the rule from labels to factors, and `checkpoint_saved` whether any factor changed. No model is fitted,
    so its loss, canary and file are null.
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
    """The active version: none."""

    activeVersion: int | None


PREDICTOR_STATUS = get("/api/predictor/status", access.ANALYTICS, (PredictorStatus, PredictorOff))
COMPARISONS = get("/api/predictor/comparisons", access.ANALYTICS, ComparisonPage)
COMPARISONS_BY_PROJECT = get(
    "/api/predictor/comparisons/by-project", access.ANALYTICS, ProjectResults
)
COMPARISONS_BY_ENTITY = get("/api/predictor/comparisons/by-entity", access.ANALYTICS, EntityResults)
TRAININGS = get("/api/predictor/training", access.ANALYTICS, Trainings)
TRAINING_PAIRS = get("/api/predictor/training-pairs-count", access.ANALYTICS, PairCount)
TRAIN = post("/api/predictor/train", access.OPERATOR, Trained)
ROLL_BACK = post("/api/predictor/rollback", access.OPERATOR, RolledBack)
