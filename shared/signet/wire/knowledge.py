"""The knowledge graph: people, projects, tools and other entities."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from signet.wire import access
from signet.wire.operation import delete, get, post


class StoredEntity(TypedDict):
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
    aspectCount: int
    attributeCount: int
    constraintCount: int
    dependencyCount: int


class CountedEntity(EntityCounts):
    entity: StoredEntity


class EntityPage(TypedDict):
    items: list[CountedEntity]
    limit: int
    offset: int
    total: int


class EntityTask(TypedDict):
    taskType: str | None
    priority: str | None
    status: str
    dueAt: str | None
    context: str | None
    expiresAt: str | None
    retentionUntil: str | None
    completedAt: str | None


class EntitySkill(TypedDict):
    """The skill fields of an entity; lists are JSON."""

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
    """An entity with its dependency counts in both directions, and its task or skill fields.

    `suppressed`: a person excluded it from graph walks.
    """

    structuralDensity: EntityCounts
    incomingDependencyCount: int
    outgoingDependencyCount: int
    suppressed: bool
    task: NotRequired[EntityTask]
    skill: NotRequired[EntitySkill]


class PinnedEntity(TypedDict):
    id: str
    name: str
    pinnedAt: str


class EntityHealth(TypedDict):
    """How often learned ranking beat the baseline in sessions about one entity."""

    entityId: str
    entityName: str
    comparisonCount: int
    winRate: float
    avgMargin: float
    trend: str


class Aspect(TypedDict):
    id: str
    entityId: str
    agentId: str
    name: str
    canonicalName: str
    weight: float
    createdAt: str
    updatedAt: str


class CountedAspect(TypedDict):
    aspect: Aspect
    attributeCount: int
    constraintCount: int


class Aspects(TypedDict):
    items: list[CountedAspect]


class Attribute(TypedDict):
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
    items: list[Attribute]
    limit: int
    offset: int


class EntityDependency(TypedDict):
    """A dependency with the names of its ends; `direction` is relative to the requested entity."""

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
    items: list[EntityDependency]


class Pinned(TypedDict):
    """Whether an entity is pinned or `suppressed`, and its weight."""

    pinned: bool
    pinnedAt: NotRequired[str]
    suppressed: NotRequired[bool]
    pinType: NotRequired[str]
    weightOverride: NotRequired[float]


class Coverage(TypedDict):
    """How many memories that mention an entity have no attribute, and the share of those that have."""

    unassignedMemoryCount: int
    coveragePercent: float


class GraphCounts(TypedDict):
    """Counts of the graph, and the distribution of aspect weights."""

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
    """Counts of the graph."""


class TraversalStatus(TypedDict):
    """Statistics of the latest graph walk, null before the first."""

    status: Mapping[str, Any] | None


class DrawnAttribute(TypedDict):
    id: str
    content: str
    kind: str
    importance: float
    memoryId: str | None


class NamedAspect(TypedDict):
    id: str
    name: str
    weight: float


class DrawnAspect(NamedAspect):
    attributes: list[DrawnAttribute]


class NamedEntity(TypedDict):
    id: str
    name: str
    entityType: str
    mentions: int
    pinned: bool


class DrawnEntity(NamedEntity):
    aspects: list[DrawnAspect]


class DrawnEdge(TypedDict):
    sourceEntityId: str
    targetEntityId: str
    dependencyType: str
    strength: float


class Constellation(TypedDict):
    dependencies: list[DrawnEdge]
    entities: list[DrawnEntity]


class GraphColumns(TypedDict):
    """Entities and their edges as columns: one value per entity, pinned and most mentioned ones first.

    `kinds` and `communities` are indexes into `kindNames` and `communityNames`, -1 for no community; the largest
    community is first. `sources` and `targets` are entity indexes, one pair per edge, the strongest first. `total`
    counts all matches.
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
    id: str
    name: str
    reason: str


class DuplicateEntity(TypedDict):
    """Entities whose names differ only in punctuation and spaces; the most mentioned first."""

    canonicalName: str
    ids: Sequence[str]


class UnfoundedAttributes(TypedDict):
    """The number of active attributes without a source memory or an aspect."""

    missingSourceMemory: int
    missingAspect: int


class MentionCandidate(TypedDict):
    memoryId: str
    entityId: str
    name: str


class Hygiene(TypedDict):
    """Doubtful rows of the graph."""

    suspiciousEntities: list[SuspiciousEntity]
    duplicateEntities: list[DuplicateEntity]
    attributeSummary: UnfoundedAttributes
    safeMentionCandidates: list[MentionCandidate]


class EntityCommunity(TypedDict):
    """A group of entities, named after its most mentioned member."""

    id: str
    name: str
    cohesion: float
    member_count: int
    created_at: str
    updated_at: str


class Communities(TypedDict):
    """The latest communities, the largest first, and the modularity of the division."""

    items: list[EntityCommunity]
    count: int
    modularity: float
    quality: str


class DescribedEntity(TypedDict):
    id: str
    name: str
    type: str
    description: str | None


class Constraint(TypedDict):
    entityName: str
    content: str
    importance: float


class ExpandedAttribute(TypedDict):
    content: str
    kind: str
    importance: float
    confidence: float


class ExpandedAspect(TypedDict):
    name: str
    weight: float
    attributes: list[ExpandedAttribute]


class DependencyTarget(TypedDict):
    target: str
    type: str
    strength: float


class LinkedMemory(TypedDict):
    id: str
    content: str


class Expanded(TypedDict):
    entity: DescribedEntity
    constraints: list[Constraint]
    aspects: list[ExpandedAspect]
    dependencies: list[DependencyTarget]
    memoryCount: int
    memories: list[LinkedMemory]


class EntitySession(TypedDict):
    id: str
    sessionKey: str | None
    harness: str | None
    earliestAt: str
    latestAt: str
    content: str


class EntitySessions(TypedDict):
    entityName: str
    summaries: list[EntitySession]
    total: int


class AffectedEntity(TypedDict):
    id: str
    name: str
    type: str


class Ring(TypedDict):
    """Entities at one distance from a change, and their probability of being affected."""

    depth: int
    label: str
    entities: list[AffectedEntity]


class Impact(TypedDict):
    entityId: str
    entityName: str
    direction: str
    impact: list[Ring]
    #: Set if the time limit ended the search early.
    timedOut: NotRequired[bool]


ENTITIES = get("/api/knowledge/entities", access.RECALL, EntityPage)
PINNED_ENTITIES = get("/api/knowledge/entities/pinned", access.RECALL, list[PinnedEntity])
ENTITY_HEALTH = get("/api/knowledge/entities/health", access.RECALL, list[EntityHealth])
ENTITY = get("/api/knowledge/entities/{entity_id}", access.RECALL, WholeEntity)
ASPECTS = get("/api/knowledge/entities/{entity_id}/aspects", access.RECALL, Aspects)
ATTRIBUTES = get(
    "/api/knowledge/entities/{entity_id}/aspects/{aspect_id}/attributes",
    access.RECALL,
    AttributePage,
)
DEPENDENCIES = get("/api/knowledge/entities/{entity_id}/dependencies", access.RECALL, Dependencies)
PIN_ENTITY = post("/api/knowledge/entities/{entity_id}/pin", access.PIN, Pinned)
UNPIN_ENTITY = delete("/api/knowledge/entities/{entity_id}/pin", access.PIN, Pinned)
KNOWLEDGE_STATS = get("/api/knowledge/stats", access.RECALL, KnowledgeStats)
TRAVERSAL_STATUS = get("/api/knowledge/traversal/status", access.RECALL, TraversalStatus)
CONSTELLATION = get("/api/knowledge/constellation", access.RECALL, Constellation)
GRAPH = get("/api/knowledge/graph", access.RECALL, GraphColumns)
HYGIENE = get("/api/knowledge/hygiene", access.RECALL, Hygiene)
COMMUNITIES = get("/api/knowledge/communities", access.RECALL, Communities)
EXPAND = post("/api/knowledge/expand", access.RECALL, Expanded)
EXPAND_SESSIONS = post("/api/knowledge/expand/session", access.RECALL, EntitySessions)
IMPACT = post("/api/graph/impact", access.RECALL, Impact)
