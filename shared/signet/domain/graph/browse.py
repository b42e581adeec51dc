"""Lists of the graph: entities, their aspects, attributes and edges. Columns are named as clients read them.

Only the graph of one agent is ever looked at (KG-1); an attribute is shown only with its memory.
"""

from dataclasses import dataclass

from signet.db import ReadTx, Row
from signet.db.visibility import Reader
from signet.domain.graph import names
from signet.domain.graph.models import UnknownEntity
from signet.domain.graph.sql.visible import Visible as Sight

_ENTITY = """
e.id, e.name, e.canonical_name AS canonicalName, e.entity_type AS entityType, e.agent_id AS agentId, e.description,
e.mentions, e.pinned, e.pinned_at AS pinnedAt, e.community_id AS communityId, e.created_at AS createdAt,
e.updated_at AS updatedAt
"""
ORDER = "e.pinned DESC, e.pinned_at DESC, e.mentions DESC, e.updated_at DESC, e.name, e.id"
_MATCHING = """
FROM entities e WHERE e.agent_id = :agent AND (:type IS NULL OR e.entity_type = :type)
AND (:q IS NULL OR instr(e.canonical_name, :q) > 0) AND {entity}
"""
#: The page is found before anything is counted, so that counting costs what the page costs.
_COUNTED = f"""
WITH page AS MATERIALIZED (SELECT e.* {{chosen}})
SELECT {_ENTITY},
  (SELECT count(*) FROM entity_aspects s WHERE s.entity_id = e.id AND {{{{aspect}}}}) AS aspectCount,
  (SELECT count(*) FROM entity_attributes a WHERE a.entity_id = e.id AND a.kind = 'attribute'
   AND a.status = 'active' AND {{{{attribute}}}}) AS attributeCount,
  (SELECT count(*) FROM entity_attributes a WHERE a.entity_id = e.id AND a.kind = 'constraint'
   AND a.status = 'active' AND {{{{attribute}}}}) AS constraintCount,
  (SELECT count(*) FROM entity_dependencies d JOIN entities f ON f.id = d.source_entity_id
   WHERE d.target_entity_id = e.id AND {{{{edge}}}}) AS incoming,
  (SELECT count(*) FROM entity_dependencies d JOIN entities f ON f.id = d.target_entity_id
   WHERE d.source_entity_id = e.id AND {{{{edge}}}}) AS outgoing
FROM page e ORDER BY {ORDER}
"""
_KNOWN = "FROM entities e WHERE e.id = :id AND e.agent_id = :agent AND {entity}"
_PAGE = _COUNTED.format(chosen=f"{_MATCHING} ORDER BY {ORDER} LIMIT :limit OFFSET :offset")
_ONE = _COUNTED.format(chosen=_KNOWN)
_TOTAL = f"SELECT count(*) {_MATCHING}"
_IS_THERE = f"SELECT 1 {_KNOWN}"
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
  (SELECT count(*) FROM entity_attributes a WHERE a.aspect_id = s.id AND a.kind = 'attribute'
   AND a.status = 'active' AND {attribute}) AS attributeCount,
  (SELECT count(*) FROM entity_attributes a WHERE a.aspect_id = s.id AND a.kind = 'constraint'
   AND a.status = 'active' AND {attribute}) AS constraintCount
FROM entity_aspects s WHERE s.entity_id = :id AND {aspect} ORDER BY s.weight DESC, s.aspect_name, s.id
"""
_ATTRIBUTES = """
SELECT a.id, a.aspect_id AS aspectId, a.agent_id AS agentId, a.source_memory_id AS memoryId, a.kind,
  a.attribute_value AS content, a.normalized_value AS normalizedContent, a.confidence, a.importance, a.status,
  a.superseded_by AS supersededBy, a.created_at AS createdAt, a.updated_at AS updatedAt
FROM entity_attributes a
WHERE +a.entity_id = :id AND +a.agent_id = :agent AND a.aspect_id = :aspect AND (:kind IS NULL OR a.kind = :kind)
  AND (:status IS NULL OR a.status = :status) AND {attribute}
ORDER BY a.importance DESC, a.created_at DESC, a.id DESC LIMIT :limit OFFSET :offset
"""
_EDGE = """
SELECT d.id, '{direction}' AS direction, d.dependency_type AS dependencyType, d.strength, d.confidence, d.reason,
  d.aspect_id AS aspectId, d.source_entity_id AS sourceEntityId, s.name AS sourceEntityName,
  d.target_entity_id AS targetEntityId, t.name AS targetEntityName, d.created_at AS createdAt,
  d.updated_at AS updatedAt
FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id JOIN entities t ON t.id = d.target_entity_id
WHERE d.{end}_entity_id = :id AND d.agent_id = :agent AND {{edge}}
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
    tx: ReadTx, *, reader: Reader, type: str | None, q: str | None, limit: int, offset: int
) -> tuple[list[Row], int]:
    """Return a page of the entities of the reader's agent with their counts, and how many there are in all."""
    sight = Sight.of(reader)
    asked = {
        "agent": reader.agent_id,
        "type": type,
        "q": names.canonical(q) if q else None,
        **sight.params,
    }
    total = int(tx.value(_TOTAL.format(entity=sight.entity()), asked))
    # Who told of each edge of a page of hubs is not looked up, only whether its other end may be seen.
    sql = _seen(_PAGE, sight, edge=sight.entity("f"))
    return tx.all(sql, asked | {"limit": limit, "offset": offset}), total


def detail(tx: ReadTx, entity_id: str, *, reader: Reader) -> Detail:
    """Return one entity of the reader's agent; raises UnknownEntity."""
    sight = Sight.of(reader)
    asked = {"id": entity_id, "agent": reader.agent_id, **sight.params}
    row = tx.one(_seen(_ONE, sight, edge=sight.edge("e", "f")), asked)
    if row is None:
        raise UnknownEntity(entityId=entity_id)
    return Detail(entity=row, task=tx.one(_TASK, (entity_id,)), skill=tx.one(_SKILL, (entity_id,)))


def aspects(tx: ReadTx, entity_id: str, *, reader: Reader) -> list[Row]:
    """Return the aspects of an entity, weightiest first; raises UnknownEntity."""
    check_known(tx, entity_id, reader)
    sight = Sight.of(reader)
    sql = _ASPECTS.format(aspect=sight.aspect(), attribute=sight.attribute())
    return tx.all(sql, {"id": entity_id, **sight.params})


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
    sight = Sight.of(reader)
    asked = {
        "id": entity_id,
        "agent": reader.agent_id,
        "aspect": aspect_id,
        "kind": kind,
        "status": status,
        "limit": limit,
        "offset": offset,
        **sight.params,
    }
    return tx.all(_ATTRIBUTES.format(attribute=sight.attribute()), asked)


def dependencies(tx: ReadTx, entity_id: str, direction: str, *, reader: Reader) -> list[Row]:
    """Return the edges of an entity in one of `DIRECTIONS`, strongest first; raises UnknownEntity."""
    check_known(tx, entity_id, reader)
    sight = Sight.of(reader)
    edges = _DIRECTIONS[direction].format(edge=sight.edge("s", "t"))
    asked = {"id": entity_id, "agent": reader.agent_id, **sight.params}
    return tx.all(_STRONGEST.format(edges=edges), asked)


def check_known(tx: ReadTx, entity_id: str, reader: Reader) -> None:
    """Raise UnknownEntity unless the reader's agent has this entity and they may know of it."""
    sight = Sight.of(reader)
    asked = {"id": entity_id, "agent": reader.agent_id, **sight.params}
    if tx.one(_IS_THERE.format(entity=sight.entity()), asked) is None:
        raise UnknownEntity(entityId=entity_id)


def _seen(sql: str, sight: Sight, *, edge: str) -> str:
    return sql.format(
        entity=sight.entity(),
        aspect=sight.aspect(),
        attribute=sight.attribute(),
        edge=edge,
    )
