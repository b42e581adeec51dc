"""The graph as a picture: entities with what is known of them, and the edges between them. Every part is bounded."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from signet.db import ReadTx, Row
from signet.db.visibility import Reader
from signet.domain.graph.browse import ORDER
from signet.domain.graph.sql.visible import Visible as Sight

_LISTED = "IN (SELECT value FROM json_each(:ids))"
_ENTITIES = f"""
SELECT e.id, e.name, e.entity_type AS entityType, e.mentions, e.pinned FROM entities e
WHERE e.agent_id = :agent AND {{entity}}
  AND (e.mentions > 0 OR e.pinned OR EXISTS (SELECT 1 FROM entity_aspects s WHERE s.entity_id = e.id))
ORDER BY {ORDER} LIMIT :most
"""
_ASPECTS = f"""
SELECT entity_id, id, name, weight FROM (
  SELECT s.entity_id, s.id, s.aspect_name AS name, s.weight,
         row_number() OVER (PARTITION BY s.entity_id ORDER BY s.weight DESC, s.aspect_name, s.id) AS place
  FROM entity_aspects s WHERE s.entity_id {_LISTED} AND {{aspect}})
WHERE place <= :most ORDER BY entity_id, place
"""
_ATTRIBUTES = f"""
SELECT aspect_id, id, content, kind, importance, memoryId FROM (
  SELECT a.aspect_id, a.id, a.attribute_value AS content, a.kind, a.importance, a.source_memory_id AS memoryId,
         row_number() OVER (PARTITION BY a.aspect_id ORDER BY a.importance DESC, a.created_at DESC, a.id) AS place
  FROM entity_attributes a WHERE a.aspect_id {_LISTED} AND a.status = 'active' AND {{attribute}})
WHERE place <= :most ORDER BY aspect_id, place
"""
_EDGES = f"""
SELECT d.source_entity_id AS sourceEntityId, d.target_entity_id AS targetEntityId,
       d.dependency_type AS dependencyType, d.strength
FROM json_each(:ids) j CROSS JOIN entity_dependencies d INDEXED BY idx_entity_dependencies_source
  ON d.source_entity_id = j.value
CROSS JOIN entities s ON s.id = d.source_entity_id CROSS JOIN entities t ON t.id = d.target_entity_id
WHERE d.agent_id = :agent AND +d.target_entity_id {_LISTED} AND {{edge}}
ORDER BY d.strength DESC, d.id LIMIT :most
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much of the graph is drawn."""

    entities: int = 150
    aspects_per_entity: int = 6
    attributes_per_aspect: int = 4
    dependencies: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Constellation:
    """What is drawn; aspects stand under the id of their entity, attributes under that of their aspect."""

    entities: Sequence[Row] = ()
    aspects: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    attributes: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    dependencies: Sequence[Row] = ()


def draw(tx: ReadTx, extent: Extent, *, reader: Reader) -> Constellation:
    """Return the agent's most important entities with what this reader may see of them."""
    sight = Sight.of(reader)
    asked = {"agent": reader.agent_id, **sight.params}
    in_all = asked | {"most": extent.entities}
    entities = tx.all(_ENTITIES.format(entity=sight.entity()), in_all)
    met = asked | {"ids": json.dumps([row["id"] for row in entities])}
    of_each = met | {"most": extent.aspects_per_entity}
    aspects = tx.all(_ASPECTS.format(aspect=sight.aspect()), of_each)
    under = json.dumps([row["id"] for row in aspects])
    said = asked | {"ids": under, "most": extent.attributes_per_aspect}
    return Constellation(
        entities=entities,
        aspects=_grouped(aspects),
        attributes=_grouped(tx.all(_ATTRIBUTES.format(attribute=sight.attribute()), said)),
        dependencies=tx.all(
            _EDGES.format(edge=sight.edge("s", "t")), met | {"most": extent.dependencies}
        ),
    )


def _grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return rows by their first column."""
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row)
    return found
