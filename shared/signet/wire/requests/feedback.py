"""What agents send about the memories that were before them."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from signet.wire.requests.model import Body, spelled


class PathBody(Body):
    """What led to a memory."""

    aspect_ids: Sequence[str] = spelled("aspect_ids", "aspectIds", default=())
    dependency_ids: Sequence[str] = spelled("dependency_ids", "dependencyIds", default=())


class RewardBody(Body):
    """What was done with a memory afterwards, as counts or shares."""

    forward_citation: float = spelled("forward_citation", "forwardCitation", default=0.0)
    update_after_retrieval: float = spelled(
        "update_after_retrieval", "updateAfterRetrieval", default=0.0
    )
    downstream_creation: float = spelled("downstream_creation", "downstreamCreation", default=0.0)
    dead_end: float = spelled("dead_end", "deadEnd", default=0.0)


class FeedbackBody(Body):
    """Ratings of several memories (`sessionKey`, `feedback`), or a word on one (`session_id`, `memory_id`)."""

    session_key: str | None = spelled("sessionKey", "session_key")
    feedback: object = Field(None, description="memory id to number, -1 to 1")
    paths: Mapping[str, PathBody] = Field(default_factory=dict)
    rewards: Mapping[str, RewardBody] = Field(default_factory=dict)
    session_id: str | None = spelled("session_id", "sessionId")
    memory_id: str | None = spelled("memory_id", "memoryId")
    feedback_type: str | None = spelled("feedback_type", "feedbackType")
    correction_text: str | None = spelled("correction_text", "correctionText")
    agent_id: str | None = spelled("agentId", "agent_id")
