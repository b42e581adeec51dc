"""Lists of the graph: entities, their aspects, attributes and edges. Columns are named as clients read them.

Only the graph of one agent is ever looked at (KG-1); an attribute is shown only with its memory.
"""

from dataclasses import dataclass

from signet.db import ReadTx, Row
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.knowledge.models import UnknownEntity, shown

_ENTITY = """
e.id, e.name, e.canonical_name AS canonicalName, e.entity_type AS entityType, e.agent_id AS agentId, e.description,
e.mentions, e.pinned, e.pinned_at AS pinnedAt, e.community_id AS communityId, e.created_at AS createdAt,
e.updated_at AS updatedAt
"""
ORDER = "e.pinned DESC, e.pinned_at DESC, e.mentions DESC, e.updated_at DESC, e.name, e.id"
_MATCHING = """
FROM entities e WHERE e.agent_id = :agent AND (:type IS NULL OR e.entity_type = :type)
AND (:q IS NULL OR instr(e.canonical_name, :q) > 0)
"""
#: The page is found before anything is counted, so that counting costs what the page costs.
_COUNTED = f"""
WITH page AS MATERIALIZED (SELECT e.* {{chosen}})
SELECT {_ENTITY},
  (SELECT count(*) FROM entity_aspects x WHERE x.entity_id = e.id) AS aspectCount,
  (SELECT count(*) FROM entity_attributes x
   WHERE x.entity_id = e.id AND x.kind = 'attribute' AND x.status = 'active') AS attributeCount,
  (SELECT count(*) FROM entity_attributes x
   WHERE x.entity_id = e.id AND x.kind = 'constraint' AND x.status = 'active') AS constraintCount,
  (SELECT count(*) FROM entity_dependencies x WHERE x.target_entity_id = e.id) AS incoming,
  (SELECT count(*) FROM entity_dependencies x WHERE x.source_entity_id = e.id) AS outgoing
FROM page e ORDER BY {ORDER}
"""
_PAGE = _COUNTED.format(chosen=f"{_MATCHING} ORDER BY {ORDER} LIMIT :limit OFFSET :offset")
_ONE = _COUNTED.format(chosen="FROM entities e WHERE e.id = :id AND e.agent_id = :agent")
_TOTAL = f"SELECT count(*) {_MATCHING}"
_IS_THERE = "SELECT 1 FROM entities WHERE id = ? AND agent_id = ?"
_TASK = """
SELECT task_type AS taskType, priority, status, due_at AS dueAt, context_json AS context, expires_at AS expiresAt,
  retention_until AS retentionUntil, completed_at AS completedAt FROM task_meta WHERE entity_id = ?
"""
_SKILL = """
SELECT version, author, license, source, role, triggers, tags, permissions, enriched, installed_at AS installedAt,
  last_used_at AS lastUsedAt, use_count AS useCount, importance, fs_path AS fsPath, uninstalled_at AS uninstalledAt
FROM skill_meta WHERE entity_id = ?
"""
_ASPECTS = """
SELECT s.id, s.entity_id AS entityId, s.agent_id AS agentId, s.aspect_name AS name, s.canonical_name AS canonicalName,
  s.weight, s.created_at AS createdAt, s.updated_at AS updatedAt,
  (SELECT count(*) FROM entity_attributes a
   WHERE a.aspect_id = s.id AND a.status = 'active' AND a.kind = 'attribute') AS attributeCount,
  (SELECT count(*) FROM entity_attributes a
   WHERE a.aspect_id = s.id AND a.status = 'active' AND a.kind = 'constraint') AS constraintCount
FROM entity_aspects s WHERE s.entity_id = ? ORDER BY s.weight DESC, s.aspect_name, s.id
"""
_ATTRIBUTES = """
SELECT a.id, a.aspect_id AS aspectId, a.agent_id AS agentId, a.source_memory_id AS memoryId, a.kind,
  a.attribute_value AS content, a.normalized_value AS normalizedContent, a.confidence, a.importance, a.status,
  a.superseded_by AS supersededBy, a.created_at AS createdAt, a.updated_at AS updatedAt
FROM entity_attributes a
WHERE +a.entity_id = ? AND +a.agent_id = ? AND a.aspect_id = ? AND (?4 IS NULL OR a.kind = ?4)
  AND (?5 IS NULL OR a.status = ?5) AND {where}
ORDER BY a.importance DESC, a.created_at DESC, a.id DESC LIMIT ? OFFSET ?
"""
_EDGE = """
SELECT d.id, '{direction}' AS direction, d.dependency_type AS dependencyType, d.strength, d.confidence, d.reason,
  d.aspect_id AS aspectId, d.source_entity_id AS sourceEntityId, s.name AS sourceEntityName,
  d.target_entity_id AS targetEntityId, t.name AS targetEntityName, d.created_at AS createdAt,
  d.updated_at AS updatedAt
FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id JOIN entities t ON t.id = d.target_entity_id
WHERE d.{end}_entity_id = :id AND d.agent_id = :agent
"""
_OUTGOING = _EDGE.format(direction="outgoing", end="source")
_INCOMING = _EDGE.format(direction="incoming", end="target")
_DIRECTIONS = {
    "outgoing": _OUTGOING,
    "incoming": _INCOMING,
    "both": f"{_OUTGOING} UNION ALL {_INCOMING}",
}
_STRONGEST = "SELECT * FROM ({edges}) ORDER BY strength DESC, updatedAt DESC, id"
DIRECTIONS = frozenset(_DIRECTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """One entity with its counts, and what makes it a task or a skill."""

    entity: Row
    task: Row | None
    skill: Row | None


def entities(
    tx: ReadTx, *, agent_id: str, type: str | None, q: str | None, limit: int, offset: int
) -> tuple[list[Row], int]:
    """Return a page of the agent's entities with their counts, and how many there are in all."""
    asked = {"agent": agent_id, "type": type, "q": names.canonical(q) if q else None}
    total = int(tx.value(_TOTAL, asked))
    return tx.all(_PAGE, asked | {"limit": limit, "offset": offset}), total


def detail(tx: ReadTx, entity_id: str, *, agent_id: str) -> Detail:
    """Return one entity of the agent; raises UnknownEntity."""
    row = tx.one(_ONE, {"id": entity_id, "agent": agent_id})
    if row is None:
        raise UnknownEntity(entityId=entity_id)
    return Detail(entity=row, task=tx.one(_TASK, (entity_id,)), skill=tx.one(_SKILL, (entity_id,)))


def aspects(tx: ReadTx, entity_id: str, *, agent_id: str) -> list[Row]:
    """Return the aspects of an entity, weightiest first; raises UnknownEntity."""
    _known(tx, entity_id, agent_id)
    return tx.all(_ASPECTS, (entity_id,))


def attributes(
    tx: ReadTx,
    entity_id: str,
    aspect_id: str,
    *,
    reader: Reader,
    kind: str | None,
    status: str | None,
    limit: int,
    offset: int,
) -> list[Row]:
    """Return a page of what is said under an aspect, weightiest first; nothing for another entity's aspect."""
    where = shown(reader)
    asked = (entity_id, reader.agent_id, aspect_id, kind, status, *where.params, limit, offset)
    return tx.all(_ATTRIBUTES.format(where=where.sql), asked)


def dependencies(tx: ReadTx, entity_id: str, direction: str, *, agent_id: str) -> list[Row]:
    """Return the edges of an entity in one of `DIRECTIONS`, strongest first; raises UnknownEntity."""
    _known(tx, entity_id, agent_id)
    asked = {"id": entity_id, "agent": agent_id}
    return tx.all(_STRONGEST.format(edges=_DIRECTIONS[direction]), asked)


def _known(tx: ReadTx, entity_id: str, agent_id: str) -> None:
    if tx.one(_IS_THERE, (entity_id, agent_id)) is None:
        raise UnknownEntity(entityId=entity_id)
