"""What is known of people, projects, tools and other things."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import Operation


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


class EntityCounts(TypedDict):
    """How much is known of an entity."""

    aspectCount: int
    attributeCount: int
    constraintCount: int
    dependencyCount: int


class CountedEntity(EntityCounts):
    """An entity and how much is known of it."""

    entity: Entity


class EntityPage(TypedDict):
    """Some entities, and how many there are."""

    items: list[CountedEntity]
    limit: int
    offset: int
    total: int


class EntityTask(TypedDict):
    """What makes an entity a task."""

    taskType: str | None
    priority: str | None
    status: str
    dueAt: str | None
    context: str | None
    expiresAt: str | None
    retentionUntil: str | None
    completedAt: str | None


class EntitySkill(TypedDict):
    """What makes an entity a skill; lists are JSON."""

    version: str | None
    author: str | None
    license: str | None
    source: str
    role: str | None
    triggers: str | None
    tags: str | None
    permissions: str | None
    enriched: int
    installedAt: str
    lastUsedAt: str | None
    useCount: int
    importance: float
    fsPath: str
    uninstalledAt: str | None


class WholeEntity(CountedEntity):
    """An entity with the number of its dependencies both ways, and what makes it a task or a skill.

    `suppressed` says that a person left it out of walks of the graph.
    """

    structuralDensity: EntityCounts
    incomingDependencyCount: int
    outgoingDependencyCount: int
    suppressed: bool
    task: NotRequired[EntityTask]
    skill: NotRequired[EntitySkill]


class PinnedEntity(TypedDict):
    """An entity and since when it is pinned or suppressed."""

    id: str
    name: str
    pinnedAt: str


class EntityHealth(TypedDict):
    """How often the predictor beat the baseline in sessions about one entity."""

    entityId: str
    entityName: str
    comparisonCount: int
    winRate: float
    avgMargin: float
    trend: str


class Aspect(TypedDict):
    """One side from which an entity is known."""

    id: str
    entityId: str
    agentId: str
    name: str
    canonicalName: str
    weight: float
    createdAt: str
    updatedAt: str


class CountedAspect(TypedDict):
    """An aspect and how many active attributes are filed under it."""

    aspect: Aspect
    attributeCount: int
    constraintCount: int


class Aspects(TypedDict):
    """The aspects of an entity, the one with the most weight first."""

    items: list[CountedAspect]


class Attribute(TypedDict):
    """What is said under an aspect, and the memory that says it."""

    id: str
    aspectId: str
    agentId: str
    memoryId: str | None
    kind: str
    content: str
    normalizedContent: str
    confidence: float
    importance: float
    status: str
    supersededBy: str | None
    createdAt: str
    updatedAt: str


class AttributePage(TypedDict):
    """A page of what is said under an aspect."""

    items: list[Attribute]
    limit: int
    offset: int


class Dependency(TypedDict):
    """A dependency with the names of its ends; `direction` is as seen from the entity asked for."""

    id: str
    direction: str
    dependencyType: str
    strength: float
    confidence: float | None
    reason: str | None
    aspectId: str | None
    sourceEntityId: str
    sourceEntityName: str
    targetEntityId: str
    targetEntityName: str
    createdAt: str
    updatedAt: str


class Dependencies(TypedDict):
    """The dependencies of an entity, the strongest first."""

    items: list[Dependency]


class Pinned(TypedDict):
    """Whether an entity is pinned now, or `suppressed`, and how much it counts."""

    pinned: bool
    pinnedAt: NotRequired[str]
    suppressed: NotRequired[bool]
    pinType: NotRequired[str]
    weightOverride: NotRequired[float]


class Coverage(TypedDict):
    """How many memories that mention an entity are the source of no attribute, and the share of the others."""

    unassignedMemoryCount: int
    coveragePercent: float


class GraphCounts(TypedDict):
    """How many there are of each, and how the weights of aspects lie."""

    entityCount: int
    dependencyCount: int
    aspectCount: int
    averageAspectWeight: float
    feedbackUpdatedAspectCount: int
    maxWeightAspectCount: int
    minWeightAspectCount: int
    attributeCount: int
    constraintCount: int


class KnowledgeStats(GraphCounts, Coverage):
    """How much is known."""


class TraversalStatus(TypedDict):
    """What the newest traversal of the graph has met, null before the first."""

    status: Mapping[str, Any] | None


class DrawnAttribute(TypedDict):
    """An attribute of the picture."""

    id: str
    content: str
    kind: str
    importance: float
    memoryId: str | None


class NamedAspect(TypedDict):
    """The name and the weight of an aspect."""

    id: str
    name: str
    weight: float


class DrawnAspect(NamedAspect):
    """An aspect of the picture."""

    attributes: list[DrawnAttribute]


class NamedEntity(TypedDict):
    """The name of an entity, what it is, and how much it counts."""

    id: str
    name: str
    entityType: str
    mentions: int
    pinned: bool


class DrawnEntity(NamedEntity):
    """An entity of the picture."""

    aspects: list[DrawnAspect]


class DrawnEdge(TypedDict):
    """A dependency of the picture."""

    sourceEntityId: str
    targetEntityId: str
    dependencyType: str
    strength: float


class Constellation(TypedDict):
    """The most important entities with what is known of them, and the dependencies between them."""

    dependencies: list[DrawnEdge]
    entities: list[DrawnEntity]


class GraphColumns(TypedDict):
    """Entities and the edges among them as columns: one value for each entity, pinned and most mentioned ones first.

    `kinds` and `communities` are places in `kindNames` and `communityNames`, -1 for no community; the largest
    community comes first. `sources` and `targets` are places of entities, one of each for an edge, the strongest first.
    `total` counts all that pass.
    """

    ids: list[str]
    names: list[str]
    kinds: list[int]
    mentions: list[int]
    communities: list[int]
    pinned: list[int]
    kindNames: list[str]
    communityNames: list[str]
    sources: list[int]
    targets: list[int]
    total: int


class SuspiciousEntity(TypedDict):
    """An entity whose name is doubtful, and why."""

    id: str
    name: str
    reason: str


class DuplicateEntity(TypedDict):
    """Entities whose names differ in marks and spaces alone; the most mentioned first."""

    canonicalName: str
    ids: Sequence[str]


class UnfoundedAttributes(TypedDict):
    """How many active attributes have no source memory or no aspect."""

    missingSourceMemory: int
    missingAspect: int


class MentionCandidate(TypedDict):
    """A memory that names an entity and is not linked to it."""

    memoryId: str
    entityId: str
    name: str


class Hygiene(TypedDict):
    """What is doubtful in the graph."""

    suspiciousEntities: list[SuspiciousEntity]
    duplicateEntities: list[DuplicateEntity]
    attributeSummary: UnfoundedAttributes
    safeMentionCandidates: list[MentionCandidate]


class Community(TypedDict):
    """A group of entities, named after its member with the most mentions."""

    id: str
    name: str
    cohesion: float
    member_count: int
    created_at: str
    updated_at: str


class Communities(TypedDict):
    """The groups of entities that were found last, the largest first, and how clear the division is."""

    items: list[Community]
    count: int
    modularity: float
    quality: str


class DescribedEntity(TypedDict):
    """An entity and its description."""

    id: str
    name: str
    type: str
    description: str | None


class Constraint(TypedDict):
    """What always holds for an entity."""

    entityName: str
    content: str
    importance: float


class ExpandedAttribute(TypedDict):
    """What is said of an entity under an aspect."""

    content: str
    kind: str
    importance: float
    confidence: float


class ExpandedAspect(TypedDict):
    """One side of an entity, with what fits of it."""

    name: str
    weight: float
    attributes: list[ExpandedAttribute]


class DependencyTarget(TypedDict):
    """The entity that a dependency leads to, by name."""

    target: str
    type: str
    strength: float


class LinkedMemory(TypedDict):
    """A memory that mentions an entity or says something of it."""

    id: str
    content: str


class Expanded(TypedDict):
    """All that is known of an entity, as far as it was asked for."""

    entity: DescribedEntity
    constraints: list[Constraint]
    aspects: list[ExpandedAspect]
    dependencies: list[DependencyTarget]
    memoryCount: int
    memories: list[LinkedMemory]


class EntitySession(TypedDict):
    """The summary of a session that speaks of an entity."""

    id: str
    sessionKey: str | None
    harness: str | None
    earliestAt: str
    latestAt: str
    content: str


class EntitySessions(TypedDict):
    """Summaries of sessions that speak of an entity, newest first, and how many there are."""

    entityName: str
    summaries: list[EntitySession]
    total: int


class AffectedEntity(TypedDict):
    """An entity that a change affects."""

    id: str
    name: str
    type: str


class Ring(TypedDict):
    """The entities at one distance from a change, and how likely they are affected."""

    depth: int
    label: str
    entities: list[AffectedEntity]


class Impact(TypedDict):
    """What a change of an entity reaches."""

    entityId: str
    entityName: str
    direction: str
    impact: list[Ring]
    #: Where there was no time to look at everything.
    timedOut: NotRequired[bool]


ENTITIES = Operation("GET", "/api/knowledge/entities", access.RECALL, EntityPage)
PINNED_ENTITIES = Operation(
    "GET", "/api/knowledge/entities/pinned", access.RECALL, list[PinnedEntity]
)
ENTITY_HEALTH = Operation(
    "GET", "/api/knowledge/entities/health", access.RECALL, list[EntityHealth]
)
ENTITY = Operation("GET", "/api/knowledge/entities/{entity_id}", access.RECALL, WholeEntity)
ASPECTS = Operation("GET", "/api/knowledge/entities/{entity_id}/aspects", access.RECALL, Aspects)
ATTRIBUTES = Operation(
    "GET",
    "/api/knowledge/entities/{entity_id}/aspects/{aspect_id}/attributes",
    access.RECALL,
    AttributePage,
)
DEPENDENCIES = Operation(
    "GET", "/api/knowledge/entities/{entity_id}/dependencies", access.RECALL, Dependencies
)
PIN_ENTITY = Operation("POST", "/api/knowledge/entities/{entity_id}/pin", access.PIN, Pinned)
UNPIN_ENTITY = Operation("DELETE", "/api/knowledge/entities/{entity_id}/pin", access.PIN, Pinned)
KNOWLEDGE_STATS = Operation("GET", "/api/knowledge/stats", access.RECALL, KnowledgeStats)
TRAVERSAL_STATUS = Operation(
    "GET", "/api/knowledge/traversal/status", access.RECALL, TraversalStatus
)
CONSTELLATION = Operation("GET", "/api/knowledge/constellation", access.RECALL, Constellation)
GRAPH = Operation("GET", "/api/knowledge/graph", access.RECALL, GraphColumns)
HYGIENE = Operation("GET", "/api/knowledge/hygiene", access.RECALL, Hygiene)
COMMUNITIES = Operation("GET", "/api/knowledge/communities", access.RECALL, Communities)
EXPAND = Operation("POST", "/api/knowledge/expand", access.RECALL, Expanded)
EXPAND_SESSIONS = Operation("POST", "/api/knowledge/expand/session", access.RECALL, EntitySessions)
IMPACT = Operation("POST", "/api/graph/impact", access.RECALL, Impact)
