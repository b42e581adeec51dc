"""Feedback: how well memories served a session."""

from collections.abc import Mapping

from signet.client.call import Call, ask
from signet.client.method import method
from signet.wire.memory import RATE, Rated


class FeedbackCalls:
    """Feedback: how well memories served a session."""

    @method
    def rate(
        self, session_key: str, ratings: Mapping[str, float], *, agent_id: str | None = None
    ) -> Call[Rated]:
        """Say how well memories served a session, -1 to 1 each by id; those it has not seen come back as `unknown`."""
        body = {"sessionKey": session_key, "feedback": dict(ratings), "agentId": agent_id}
        return ask(RATE, body=body)
