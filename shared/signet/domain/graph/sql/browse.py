"""Lists of the graph of one agent (KG-1), as far as a reader may see it."""

from collections.abc import Iterable

from signet.db import ReadTx
from signet.db.dialect import as_list, list_of, list_rows
from signet.db.visibility import Reader
from signet.domain.graph.sql.visible import Visible
from signet.domain.graph.views import (
    Attribute,
    CountedAspect,
    CountedEntity,
    DrawnAspect,
    DrawnAttribute,
    DrawnEdge,
    DrawnEntity,
    Edge,
)

_ORDER = "e.pinned DESC, e.pinned_at DESC, e.mentions DESC, e.updated_at DESC, e.name, e.id"
_MATCHING = """
FROM entities e WHERE e.agent_id = :agent AND (:type IS NULL OR e.entity_type = :type)
AND (:q IS NULL OR instr(e.canonical_name, :q) > 0) AND {entity}"""
#: The page is found before anything is counted, so that counting costs what the page costs.
_COUNTED = f"""
WITH page AS MATERIALIZED (SELECT e.* {{chosen}})
SELECT e.id, e.name, e.canonical_name, e.entity_type, e.agent_id, e.description, e.mentions, e.pinned, e.pinned_at,
  e.community_id, e.created_at, e.updated_at,
  (SELECT count(*) FROM entity_aspects s WHERE s.entity_id = e.id AND {{{{aspect}}}}) AS aspect_count,
  (SELECT count(*) FROM entity_attributes a WHERE a.entity_id = e.id AND a.kind = 'attribute'
   AND a.status = 'active' AND {{{{attribute}}}}) AS attribute_count,
  (SELECT count(*) FROM entity_attributes a WHERE a.entity_id = e.id AND a.kind = 'constraint'
   AND a.status = 'active' AND {{{{attribute}}}}) AS constraint_count,
  (SELECT count(*) FROM entity_dependencies d JOIN entities f ON f.id = d.source_entity_id
   WHERE d.target_entity_id = e.id AND {{{{edge}}}}) AS incoming,
  (SELECT count(*) FROM entity_dependencies d JOIN entities f ON f.id = d.target_entity_id
   WHERE d.source_entity_id = e.id AND {{{{edge}}}}) AS outgoing
FROM page e ORDER BY {_ORDER}"""
_KNOWN = "FROM entities e WHERE e.id = :id AND e.agent_id = :agent AND {entity}"
_PAGE = _COUNTED.format(chosen=f"{_MATCHING} ORDER BY {_ORDER} LIMIT :limit OFFSET :offset")
_ONE = _COUNTED.format(chosen=_KNOWN)
_TOTAL = f"SELECT count(*) {_MATCHING}"
_NAME = f"SELECT e.name {_KNOWN}"
TASK = """
SELECT task_type, priority, status, due_at, context_json AS context, expires_at, retention_until, completed_at
FROM task_meta WHERE entity_id = ?"""
SKILL = """
SELECT version, author, license, source, role, triggers, tags, permissions, enriched, installed_at, last_used_at,
  use_count, importance, fs_path, uninstalled_at FROM skill_meta WHERE entity_id = ?"""
_ASPECTS = """
SELECT s.id, s.entity_id, s.agent_id, s.aspect_name AS name, s.canonical_name, s.weight, s.created_at, s.updated_at,
  (SELECT count(*) FROM entity_attributes a WHERE a.aspect_id = s.id AND a.kind = 'attribute'
   AND a.status = 'active' AND {attribute}) AS attribute_count,
  (SELECT count(*) FROM entity_attributes a WHERE a.aspect_id = s.id AND a.kind = 'constraint'
   AND a.status = 'active' AND {attribute}) AS constraint_count
FROM entity_aspects s WHERE s.entity_id = :id AND {aspect} ORDER BY s.weight DESC, s.aspect_name, s.id"""
_ATTRIBUTES = """
SELECT a.id, a.aspect_id, a.agent_id, a.source_memory_id AS memory_id, a.kind, a.attribute_value AS content,
  a.normalized_value AS normalized_content, a.confidence, a.importance, a.status, a.superseded_by, a.created_at,
  a.updated_at
FROM entity_attributes a
WHERE +a.entity_id = :id AND +a.agent_id = :agent AND a.aspect_id = :aspect AND (:kind IS NULL OR a.kind = :kind)
  AND (:status IS NULL OR a.status = :status) AND {attribute}
ORDER BY a.importance DESC, a.created_at DESC, a.id DESC LIMIT :limit OFFSET :offset"""
_EDGE = """
SELECT d.id, '{direction}' AS direction, d.dependency_type, d.strength, d.confidence, d.reason, d.aspect_id,
  d.source_entity_id, s.name AS source_entity_name, d.target_entity_id, t.name AS target_entity_name, d.created_at,
  d.updated_at
FROM entity_dependencies d JOIN entities s ON s.id = d.source_entity_id JOIN entities t ON t.id = d.target_entity_id
WHERE d.{end}_entity_id = :id AND d.agent_id = :agent AND {{edge}}"""
_OUTGOING = _EDGE.format(direction="outgoing", end="source")
_INCOMING = _EDGE.format(direction="incoming", end="target")
_DIRECTIONS = {
    "outgoing": _OUTGOING,
    "incoming": _INCOMING,
    "both": f"{_OUTGOING} UNION ALL {_INCOMING}",
}
_STRONGEST = "SELECT * FROM ({edges}) ORDER BY strength DESC, updated_at DESC, id"

_IDS = list_of(":ids")
_DRAWN_ENTITIES = f"""
SELECT e.id, e.name, e.entity_type, e.mentions, e.pinned FROM entities e
WHERE e.agent_id = :agent AND {{entity}}
  AND (e.mentions > 0 OR e.pinned OR EXISTS (SELECT 1 FROM entity_aspects s WHERE s.entity_id = e.id))
ORDER BY {_ORDER} LIMIT :most"""
_DRAWN_ASPECTS = f"""
SELECT entity_id, id, name, weight FROM (
  SELECT s.entity_id, s.id, s.aspect_name AS name, s.weight,
         row_number() OVER (PARTITION BY s.entity_id ORDER BY s.weight DESC, s.aspect_name, s.id) AS place
  FROM entity_aspects s WHERE s.entity_id IN {_IDS} AND {{aspect}})
WHERE place <= :most ORDER BY entity_id, place"""
_DRAWN_ATTRIBUTES = f"""
SELECT aspect_id, id, content, kind, importance, memory_id FROM (
  SELECT a.aspect_id, a.id, a.attribute_value AS content, a.kind, a.importance, a.source_memory_id AS memory_id,
         row_number() OVER (PARTITION BY a.aspect_id ORDER BY a.importance DESC, a.created_at DESC, a.id) AS place
  FROM entity_attributes a WHERE a.aspect_id IN {_IDS} AND a.status = 'active' AND {{attribute}})
WHERE place <= :most ORDER BY aspect_id, place"""
_DRAWN_EDGES = f"""
SELECT d.source_entity_id, d.target_entity_id, d.dependency_type, d.strength
FROM {list_rows(":ids")} j CROSS JOIN entity_dependencies d INDEXED BY idx_entity_dependencies_source
  ON d.source_entity_id = j.value
CROSS JOIN entities s ON s.id = d.source_entity_id CROSS JOIN entities t ON t.id = d.target_entity_id
WHERE d.agent_id = :agent AND +d.target_entity_id IN {_IDS} AND {{edge}}
ORDER BY d.strength DESC, d.id LIMIT :most"""


def page(
    tx: ReadTx, *, reader: Reader, type: str | None, part: str | None, limit: int, offset: int
) -> tuple[list[CountedEntity], int]:
    """Return a page of entities, of a type and with this part in their names, and how many there are in all."""
    visible = Visible.of(reader)
    asked = {"type": type, "q": part, **visible.params}
    total = int(tx.value(_TOTAL.format(entity=visible.entity()), asked))
    # Which memory says each edge of a page of hubs is not looked up, only whether its other end may be seen.
    sql = _conditions(_PAGE, visible, edge=visible.entity("f"))
    return tx.rows(CountedEntity, sql, {**asked, "limit": limit, "offset": offset}), total


def one(tx: ReadTx, entity_id: str, *, reader: Reader) -> CountedEntity | None:
    """Return an entity with its counts."""
    visible = Visible.of(reader)
    sql = _conditions(_ONE, visible, edge=visible.edge("e", "f"))
    return tx.row(CountedEntity, sql, {"id": entity_id, **visible.params})


def name(tx: ReadTx, entity_id: str, *, reader: Reader) -> str | None:
    """Return the name of an entity."""
    visible = Visible.of(reader)
    asked = {"id": entity_id, **visible.params}
    found: str | None = tx.value(_NAME.format(entity=visible.entity()), asked)
    return found


def aspects(tx: ReadTx, entity_id: str, *, reader: Reader) -> list[CountedAspect]:
    """Return the aspects of an entity, the one with the most weight first."""
    visible = Visible.of(reader)
    sql = _ASPECTS.format(aspect=visible.aspect(), attribute=visible.attribute())
    return tx.rows(CountedAspect, sql, {"id": entity_id, **visible.params})


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
) -> list[Attribute]:
    """Return a page of what is said under an aspect, most important first; nothing for another entity's aspect."""
    visible = Visible.of(reader)
    asked = {
        "id": entity_id,
        "aspect": aspect_id,
        "kind": kind,
        "status": status,
        "limit": limit,
        "offset": offset,
        **visible.params,
    }
    return tx.rows(Attribute, _ATTRIBUTES.format(attribute=visible.attribute()), asked)


def edges(tx: ReadTx, entity_id: str, direction: str, *, reader: Reader) -> list[Edge]:
    """Return the dependencies of an entity (`incoming`, `outgoing` or `both`), strongest first."""
    visible = Visible.of(reader)
    edges = _DIRECTIONS[direction].format(edge=visible.edge("s", "t"))
    asked = {"id": entity_id, **visible.params}
    return tx.rows(Edge, _STRONGEST.format(edges=edges), asked)


def drawn_entities(tx: ReadTx, *, reader: Reader, most: int) -> list[DrawnEntity]:
    """Return the entities of the picture, the important ones first."""
    visible = Visible.of(reader)
    sql = _DRAWN_ENTITIES.format(entity=visible.entity())
    return tx.rows(DrawnEntity, sql, {"most": most, **visible.params})


def drawn_aspects(
    tx: ReadTx, entity_ids: Iterable[str], *, reader: Reader, most: int
) -> list[DrawnAspect]:
    """Return so many aspects of each entity, those with the most weight."""
    visible = Visible.of(reader)
    asked = {"ids": as_list(entity_ids), "most": most, **visible.params}
    return tx.rows(DrawnAspect, _DRAWN_ASPECTS.format(aspect=visible.aspect()), asked)


def drawn_attributes(
    tx: ReadTx, aspect_ids: Iterable[str], *, reader: Reader, most: int
) -> list[DrawnAttribute]:
    """Return so many attributes of each aspect, the most important."""
    visible = Visible.of(reader)
    asked = {"ids": as_list(aspect_ids), "most": most, **visible.params}
    sql = _DRAWN_ATTRIBUTES.format(attribute=visible.attribute())
    return tx.rows(DrawnAttribute, sql, asked)


def drawn_edges(
    tx: ReadTx, entity_ids: Iterable[str], *, reader: Reader, most: int
) -> list[DrawnEdge]:
    """Return so many dependencies between these entities, the strongest."""
    visible = Visible.of(reader)
    asked = {"ids": as_list(entity_ids), "most": most, **visible.params}
    return tx.rows(DrawnEdge, _DRAWN_EDGES.format(edge=visible.edge("s", "t")), asked)


def _conditions(sql: str, visible: Visible, *, edge: str) -> str:
    return sql.format(
        entity=visible.entity(),
        aspect=visible.aspect(),
        attribute=visible.attribute(),
        edge=edge,
    )
