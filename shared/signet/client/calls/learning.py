"""What was learned of memories, and whether memory helps."""

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
    """What was learned of memories, and whether memory helps."""

    @asks(EVALUATION)
    def evaluation(self, *, agent_id: str | None = None) -> Evaluation:
        """Return whether memory helps: sessions with it against those without, what it costs and what stands out."""

    @asks(PAST_SESSIONS)
    def past_sessions(
        self, *, limit: int | None = None, agent_id: str | None = None
    ) -> PastSessions:
        """Return the newest sessions that can be replayed, newest first."""

    @asks(REPLAY, is_safe=True)
    def replay(
        self,
        session_key: str,
        *,
        settings: Mapping[str, object] | None = None,
        agent_id: str | None = None,
    ) -> Replay:
        """Return what the prompts of a past session would be given now and, with `settings` (values by dotted key),
        what with those; nothing is counted as used."""

    @asks(wire.PREDICTOR_STATUS)
    def predictor(self, *, agent_id: str | None = None) -> wire.PredictorStatus | wire.PredictorOff:
        """Return what was learned, how it does, and whether it takes part."""

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
        """Return the sessions that were ranked with and without what was learned, newest first."""

    @asks(wire.COMPARISONS_BY_PROJECT)
    def comparisons_by_project(self, *, agent_id: str | None = None) -> wire.ProjectResults:
        """Return how learned ranking did by project."""

    @asks(wire.COMPARISONS_BY_ENTITY)
    def comparisons_by_entity(self, *, agent_id: str | None = None) -> wire.EntityResults:
        """Return how learned ranking did by the entity that sessions were about."""

    @asks(wire.TRAININGS)
    def trainings(self, *, limit: int | None = None, agent_id: str | None = None) -> wire.Trainings:
        """Return when what was learned was let take part, and when it was stopped, newest first."""

    @asks(wire.TRAINING_PAIRS)
    def training_pairs(self, *, agent_id: str | None = None) -> wire.PairCount:
        """Return how many labels there are to learn from."""

    @asks(wire.TRAIN, is_safe=True)
    def learn_anew(self, *, agent_id: str | None = None) -> wire.Trained:
        """Work out anew what all labels say of the memories; each session's end does it for its own."""

    @asks(wire.ROLL_BACK, is_safe=True)
    def roll_back(self, *, agent_id: str | None = None) -> wire.RolledBack:
        """Let the order without what was learned hold again; it is watched anew from here on."""
