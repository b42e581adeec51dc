"""The rows of the graph that clients are shown."""

from typing import NamedTuple


class CountedEntity(NamedTuple):
    """An entity and how much is known of it; `incoming` and `outgoing` count its dependencies."""

    id: str
    name: str
    canonical_name: str
    entity_type: str
    agent_id: str
    description: str | None
    mentions: int
    pinned: int
    pinned_at: str | None
    community_id: str | None
    created_at: str
    updated_at: str
    aspect_count: int
    attribute_count: int
    constraint_count: int
    incoming: int
    outgoing: int


class Task(NamedTuple):
    """What makes an entity a task."""

    task_type: str | None
    priority: str | None
    status: str
    due_at: str | None
    context: str | None
    expires_at: str | None
    retention_until: str | None
    completed_at: str | None


class Skill(NamedTuple):
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
    installed_at: str
    last_used_at: str | None
    use_count: int
    importance: float
    fs_path: str
    uninstalled_at: str | None


class CountedAspect(NamedTuple):
    """An aspect and how many active attributes are filed under it."""

    id: str
    entity_id: str
    agent_id: str
    name: str
    canonical_name: str
    weight: float
    created_at: str
    updated_at: str
    attribute_count: int
    constraint_count: int


class Attribute(NamedTuple):
    """What is said under an aspect, and the memory that says it."""

    id: str
    aspect_id: str
    agent_id: str
    memory_id: str | None
    kind: str
    content: str
    normalized_content: str
    confidence: float
    importance: float
    status: str
    superseded_by: str | None
    created_at: str
    updated_at: str


class Edge(NamedTuple):
    """A dependency with the names of its ends; `direction` is as seen from the entity asked for."""

    id: str
    direction: str
    dependency_type: str
    strength: float
    confidence: float | None
    reason: str | None
    aspect_id: str | None
    source_entity_id: str
    source_entity_name: str
    target_entity_id: str
    target_entity_name: str
    created_at: str
    updated_at: str


class DrawnEntity(NamedTuple):
    """An entity of the picture."""

    id: str
    name: str
    entity_type: str
    mentions: int
    pinned: int


class DrawnAspect(NamedTuple):
    """An aspect of the picture."""

    entity_id: str
    id: str
    name: str
    weight: float


class DrawnAttribute(NamedTuple):
    """An attribute of the picture."""

    aspect_id: str
    id: str
    content: str
    kind: str
    importance: float
    memory_id: str | None


class DrawnEdge(NamedTuple):
    """A dependency of the picture."""

    source_entity_id: str
    target_entity_id: str
    dependency_type: str
    strength: float
