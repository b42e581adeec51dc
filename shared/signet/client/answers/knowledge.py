"""Answers about what is known of people, projects, tools and other things."""

from typing import Any, TypedDict


class Entity(TypedDict):
    """Something that memories speak of."""

    id: str
    name: str
    canonicalName: str
    entityType: str
    agentId: str
    description: str | None
    mentions: int
    pinned: bool
    pinnedAt: str | None
    communityId: str | None
    createdAt: str
    updatedAt: str


class CountedEntity(TypedDict):
    """An entity and how much is known of it."""

    entity: Entity
    aspectCount: int
    attributeCount: int
    constraintCount: int
    dependencyCount: int


class EntityPage(TypedDict):
    """Some entities, and how many there are."""

    items: list[CountedEntity]
    limit: int
    offset: int
    total: int


class WholeEntity(CountedEntity):
    """An entity with the number of its relations both ways."""

    incomingDependencyCount: int
    outgoingDependencyCount: int


class Expanded(TypedDict):
    """All that is known of an entity, as far as it was asked for."""

    entity: dict[str, Any] | None
    constraints: list[Any]
    aspects: list[dict[str, Any]]
    dependencies: list[dict[str, Any]]
    memoryCount: int
    memories: list[dict[str, Any]]


class Impact(TypedDict):
    """What a change of an entity reaches."""

    entityId: str
    entityName: str
    direction: str
    impact: list[dict[str, Any]]


class KnowledgeStats(TypedDict):
    """How much is known."""

    entityCount: int
    dependencyCount: int
    aspectCount: int
    attributeCount: int
    constraintCount: int
    unassignedMemoryCount: int
    coveragePercent: float


class Pinned(TypedDict):
    """Whether an entity is pinned now."""

    pinned: bool
