"""Learned ranking, and whether memory helps."""

from collections.abc import Mapping

from signet.client.method import asks
from signet.wire import predictor as wire
from signet.wire.evaluation import (
    EVALUATION,
    PAST_SESSIONS,
    REPLAY,
    Evaluation,
    PastSessions,
    Replay,
)


class LearningCalls:
    """Learned ranking, and whether memory helps."""

    @asks(EVALUATION)
    def evaluation(self, *, agent_id: str | None = None) -> Evaluation:
        """Compare sessions with and without memory: effect, cost, notable memories."""

    @asks(PAST_SESSIONS)
    def past_sessions(
        self, *, limit: int | None = None, agent_id: str | None = None
    ) -> PastSessions:
        """Return the sessions that can be replayed, newest first."""

    @asks(REPLAY, is_safe=True)
    def replay(
        self,
        session_key: str,
        *,
        settings: Mapping[str, object] | None = None,
        agent_id: str | None = None,
    ) -> Replay:
        """Return what a past session's prompts would receive now and, with `settings` (values by dotted key), with
        those settings.

        Nothing is counted as used.
        """

    @asks(wire.PREDICTOR_STATUS)
    def predictor(self, *, agent_id: str | None = None) -> wire.PredictorStatus | wire.PredictorOff:
        """Return the state and results of learned ranking."""

    @asks(wire.COMPARISONS)
    def comparisons(
        self,
        *,
        project: str | None = None,
        entity_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        agent_id: str | None = None,
    ) -> wire.ComparisonPage:
        """Return sessions ranked with and without learning, newest first."""

    @asks(wire.COMPARISONS_BY_PROJECT)
    def comparisons_by_project(self, *, agent_id: str | None = None) -> wire.ProjectResults:
        """Return the results of learned ranking by project."""

    @asks(wire.COMPARISONS_BY_ENTITY)
    def comparisons_by_entity(self, *, agent_id: str | None = None) -> wire.EntityResults:
        """Return the results of learned ranking by the entity of the session."""

    @asks(wire.TRAININGS)
    def trainings(self, *, limit: int | None = None, agent_id: str | None = None) -> wire.Trainings:
        """Return when learned ranking was activated and stopped, newest first."""

    @asks(wire.TRAINING_PAIRS)
    def training_pairs(self, *, agent_id: str | None = None) -> wire.PairCount:
        """Return the number of labels to learn from."""

    @asks(wire.TRAIN, is_safe=True)
    def relearn(self, *, agent_id: str | None = None) -> wire.Trained:
        """Recompute the memories' posteriors from all labels; each session end does this for its own."""

    @asks(wire.ROLL_BACK, is_safe=True)
    def roll_back(self, *, agent_id: str | None = None) -> wire.RolledBack:
        """Restore the original order; observation restarts from zero."""
