"""Values that the modules of the graph share."""

from dataclasses import dataclass
from typing import NamedTuple

from signet.errors import NotFound

#: Types without a meaning; a real type replaces them (KG-5).
EXTRACTED = "extracted"
UNKNOWN = "unknown"
#: The entity that ties the pieces of a long text together (MEM-12).
CHUNK_GROUP = "chunk_group"
SKILL = "skill"
#: Kinds of entities that only a map has: repositories, and files that sessions changed.
PROJECT, FILE = "project", "file"
#: Types that a model may give an entity.
ENTITY_TYPES = frozenset(("person", "project", "system", "tool", "concept", "skill", "task"))
#: Types that a dependency may have; another is dropped (KG-8).
DEPENDENCY_TYPES = tuple(
    "uses requires owned_by blocks informs related_to depends_on produces".split()
)
#: Kinds of attributes: facts, and rules.
KINDS = ("attribute", "constraint")

#: A longer name of an aspect is a sentence (KG-9).
MAX_ASPECT_CHARS = 60
#: With more aspects each would hold one attribute (KG-9).
MAX_ASPECTS = 20
#: The aspect of attributes that fit no other, or exceed `MAX_ASPECTS`.
GENERAL = "general"
#: Default importance of an attribute.
IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Triple:
    """Two named entities and their relation; confidence is 0..1."""

    source: str
    source_type: str
    relationship: str
    target: str
    target_type: str
    confidence: float


class Entity(NamedTuple):
    id: str
    name: str
    type: str


class StatementSource(NamedTuple):
    """The memory that states something, its agent, and the time of writing."""

    memory_id: str
    agent_id: str
    at: str


class Dependency(NamedTuple):
    """An edge from one entity to another; strength 0..1."""

    source_entity_id: str
    target_entity_id: str
    dependency_type: str
    strength: float
    reason: str


class UnknownEntity(NotFound):
    """Entity not found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The entity that facts are about, and its aspects."""

    id: str
    name: str
    type: str
    agent_id: str
    aspects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFact:
    job_id: str
    memory_id: str
    text: str
    #: The pending attribute that the fact is about, where it is to be classified.
    attribute_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """The aspect of a fact, and whether it is an attribute or a constraint."""

    aspect: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDependency:
    """A dependency of the subject on the entity named `target`."""

    target: str
    type: str
    reason: str
