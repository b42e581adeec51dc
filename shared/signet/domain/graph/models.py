"""What the graph is told to write."""

from dataclasses import dataclass
from typing import Protocol

from signet.errors import Kind, SignetError

#: An entity whose type nobody has told yet; a real type replaces these (KG-5).
EXTRACTED = "extracted"
UNKNOWN = "unknown"
#: The entity that ties the pieces of a long text together (MEM-12).
CHUNK_GROUP = "chunk_group"
SKILL = "skill"

#: Types that a model may give an entity.
ENTITY_TYPES = frozenset(("person", "project", "system", "tool", "concept", "skill", "task"))


class Triple(Protocol):
    """A named thing, how it relates, and the other named thing; confidence is 0..1."""

    @property
    def source(self) -> str: ...
    @property
    def source_type(self) -> str: ...
    @property
    def relationship(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def target_type(self) -> str: ...
    @property
    def confidence(self) -> float: ...


#: Types that an edge may have (knowledge.md §1); another is dropped (KG-8).
DEPENDENCY_TYPES = (
    "uses",
    "requires",
    "owned_by",
    "blocks",
    "informs",
    "related_to",
    "depends_on",
    "produces",
)
KINDS = ("attribute", "constraint")

MAX_ASPECT_CHARS = 60
#: More would be as many drawers as things (KG-9).
MAX_ASPECTS = 20
#: Where a fact goes when it fits no aspect, or none may be added.
GENERAL = "general"


class DroppedFromOutput(SignetError):
    """The model's answer passes this item over; it is asked about it alone."""

    kind = Kind.UNAVAILABLE
    code = "dropped_from_llm_output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """An entity that facts tell of, and the aspects it has."""

    id: str
    name: str
    type: str
    agent_id: str
    aspects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One fact of a batch: the job it belongs to, and what is told."""

    job_id: str
    memory_id: str
    text: str
    #: The stub that waits for its aspect.
    attribute_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Under which aspect a fact belongs, and whether it binds."""

    aspect: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """That the subject depends on the entity named `target`."""

    target: str
    type: str
    reason: str
