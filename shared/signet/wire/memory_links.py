"""A memory's context: sources, derived memories, readers, and verdict."""

from typing import TypedDict

from signet.wire import access
from signet.wire.memory import Followed, Modified
from signet.wire.operation import get, post


class LinkedEntity(TypedDict):
    id: str
    name: str
    entityType: str


class Links(TypedDict):
    """A memory's links that the reader may see; each list has the newest 50.

    `sources` are its source memories, `distilled` derived ones, `corrects` those it superseded; `correctedBy`
    superseded it.
    """

    memoryId: str
    sources: list[Followed]
    distilled: list[Followed]
    corrects: list[Followed]
    correctedBy: Followed | None
    entities: list[LinkedEntity]


class AgentAccess(TypedDict):
    """Whether an agent may read a memory, and the deciding rule.

    `rule`: own, shared (global, and the agent's policy is shared), group (global, from the agent's group), private
    (another agent's), isolated (the agent reads only its own), other_group, archived (unreadable), space (read by
    the keys of its space).
    """

    id: str
    name: str
    reads: bool
    rule: str
    #: The rule in words.
    says: str


class Access(TypedDict):
    """A memory's owner and visibility, and the access of every registered agent."""

    memoryId: str
    owner: str
    visibility: str
    project: str | None
    scope: str | None
    agents: list[AgentAccess]


LINKS = get("/api/memory/{memory_id}/links", access.RECALL, Links)
ACCESS = get("/api/memory/{memory_id}/access", access.RECALL, Access)
JUDGE = post("/api/memory/{memory_id}/review", access.REVIEW, Modified)
