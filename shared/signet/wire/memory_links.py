"""What stands beside a memory: its sources and what came of it, who may read it, and what a person says of it."""

from typing import TypedDict

from signet.wire import access
from signet.wire.memory import Followed, Modified
from signet.wire.operation import Operation


class NamedEntity(TypedDict):
    """An entity that a memory mentions."""

    id: str
    name: str
    entityType: str


class Links(TypedDict):
    """What a memory is linked to, as far as the reader may see it; each list is the newest 50 of its kind.

    `sources` are the memories that it was read from, `distilled` those that were read from it, `corrects` those that
    stepped behind it; `correctedBy` is the one that it stepped behind.
    """

    memoryId: str
    sources: list[Followed]
    distilled: list[Followed]
    corrects: list[Followed]
    correctedBy: Followed | None
    entities: list[NamedEntity]


class AgentAccess(TypedDict):
    """Whether an agent may read a memory, and the rule that decides it.

    `rule`: own, shared (it is global and the agent reads what is shared), group (global, and of an agent of its group),
    private (of another agent), isolated (the agent reads only its own), other_group, archived (nobody reads it).
    """

    id: str
    name: str
    reads: bool
    rule: str


class Access(TypedDict):
    """Who may read a memory: its owner and visibility, and every registered agent."""

    memoryId: str
    owner: str
    visibility: str
    project: str | None
    scope: str | None
    agents: list[AgentAccess]


LINKS = Operation("GET", "/api/memory/{memory_id}/links", access.RECALL, Links)
ACCESS = Operation("GET", "/api/memory/{memory_id}/access", access.RECALL, Access)
JUDGE = Operation("POST", "/api/memory/{memory_id}/review", access.REVIEW, Modified)
