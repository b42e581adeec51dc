"""What a structural job looks at, and what a model says about it."""

from dataclasses import dataclass

from signet.errors import Kind, SignetError

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
