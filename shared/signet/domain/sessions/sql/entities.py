"""What a project is about, and the rules that hold for that; the tables of the graph are only read."""

from collections.abc import Iterable

from signet.db import ReadTx
from signet.db.dialect import LIST, as_list
from signet.db.visibility import Reader
from signet.domain.graph.traverse import Entity
from signet.domain.graph.visibility import Sight

MOST_FOCAL = 5
MOST_PINNED = 20
MOST_ASPECTS = 20
#: More rules than this fit into no context.
MOST_CONSTRAINTS = 100

_SHOWN = """
NOT EXISTS (SELECT 1 FROM entity_pinning p
            WHERE p.agent_id = e.agent_id AND p.entity_id = e.id AND p.pin_type = 'suppress')"""
_NAMED = f"""
SELECT e.id, e.name, e.entity_type FROM json_each(:names) j
  CROSS JOIN entities e ON e.agent_id = :agent AND e.canonical_name = j.value
 WHERE {_SHOWN} AND {{seen}} ORDER BY (e.entity_type = 'project') DESC, e.mentions DESC LIMIT {MOST_FOCAL}"""
_PINNED = f"""
SELECT e.id, e.name, e.entity_type FROM entities e
 WHERE e.agent_id = :agent AND e.pinned = 1 AND {_SHOWN} AND {{seen}}
 ORDER BY e.pinned_at DESC LIMIT {MOST_PINNED}"""
_CONSTRAINTS = f"""
SELECT e.name, a.attribute_value FROM json_each(:ids) j
  CROSS JOIN entities e ON e.id = j.value
  CROSS JOIN entity_attributes a ON a.entity_id = e.id AND a.kind = 'constraint' AND a.status = 'active'
 WHERE {{seen}} ORDER BY j.key, a.importance DESC, a.id LIMIT {MOST_CONSTRAINTS}"""
_ASPECTS = f"""
SELECT s.id FROM entity_aspects s WHERE s.entity_id IN {LIST} ORDER BY s.weight DESC, s.id LIMIT {MOST_ASPECTS}"""


def named(tx: ReadTx, reader: Reader, canonical_names: Iterable[str]) -> list[Entity]:
    """Return the entities of these canonical names, projects first, then those that are mentioned most."""
    sight = Sight.of(reader)
    asked = {"agent": reader.agent_id, "names": as_list(canonical_names), **sight.params}
    return [_entity(*row) for row in tx.tuples(_NAMED.format(seen=sight.entity()), asked)]


def pinned(tx: ReadTx, reader: Reader) -> list[Entity]:
    """Return the pinned entities, the one that was pinned last first."""
    sight = Sight.of(reader)
    asked = {"agent": reader.agent_id, **sight.params}
    return [_entity(*row) for row in tx.tuples(_PINNED.format(seen=sight.entity()), asked)]


def constraints(tx: ReadTx, reader: Reader, entity_ids: Iterable[str]) -> list[tuple[str, str]]:
    """Return the rules that hold for these entities, as name and rule, in the order of the entities."""
    sight = Sight.of(reader)
    asked = {"ids": as_list(entity_ids), **sight.params}
    return tx.tuples(_CONSTRAINTS.format(seen=sight.attribute("a")), asked)


def aspects(tx: ReadTx, entity_ids: Iterable[str]) -> list[str]:
    """Return the weightiest aspects of these entities."""
    return [row[0] for row in tx.tuples(_ASPECTS, (as_list(entity_ids),))]


def _entity(id: str, name: str, type: str) -> Entity:
    return Entity(id=id, name=name, type=type)
