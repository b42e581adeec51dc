"""Relations and dependencies: which entity is joined to which, and how surely.

A relation is what was said; a dependency is an edge that a traversal follows. What another noun adds (skills) has an
`origin` in its metadata, so that it can be removed without touching what memories have added.
"""

import json
from collections.abc import Iterable, Sequence

from signet import ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, as_list
from signet.domain.graph.models import Dependency

_INSERT_DEPENDENCY = """
INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type, strength,
    confidence, reason, metadata, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
COMPANIONS = """
INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type, strength,
    confidence, reason, created_at, updated_at)
SELECT ?1, ?2, ?3, ?4, 'related_to', ?5, ?6, ?7, ?8, ?8 WHERE NOT EXISTS (
    SELECT 1 FROM entity_dependencies WHERE agent_id = ?2 AND source_entity_id = ?4
       AND target_entity_id = ?3 AND dependency_type = 'related_to') ON CONFLICT DO NOTHING"""
RELATE = """
INSERT INTO relations (id, source_entity_id, target_entity_id, relation_type, strength, mentions, confidence,
    created_at, updated_at)
VALUES (:id, :source, :target, :type, 1.0, 1, :confidence, :at, :at)
ON CONFLICT (source_entity_id, target_entity_id, relation_type) DO UPDATE SET
    confidence = (confidence * mentions + excluded.confidence) / (mentions + 1),
    mentions = mentions + 1,
    updated_at = excluded.updated_at
RETURNING confidence"""
RELATE_OF_ORIGIN = """
INSERT INTO relations (id, source_entity_id, target_entity_id, relation_type, confidence, metadata, created_at,
    updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
DEPEND = """
INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type, strength,
    confidence, reason, created_at, updated_at)
VALUES (:id, :agent, :source, :target, :type, :confidence, :confidence, :reason, :at, :at)
ON CONFLICT (agent_id, source_entity_id, target_entity_id, dependency_type) DO UPDATE SET
    strength = excluded.strength, confidence = excluded.confidence, reason = excluded.reason,
    updated_at = excluded.updated_at"""
OF_ORIGIN = """
SELECT source_entity_id, target_entity_id, dependency_type, strength, reason FROM entity_dependencies
WHERE agent_id = ? AND metadata ->> 'origin' = ?"""
DELETE_ONE = """
DELETE FROM entity_dependencies WHERE agent_id = ? AND source_entity_id = ? AND target_entity_id = ?
   AND dependency_type = ? AND metadata ->> 'origin' = ?"""
_DELETE_OF_ORIGIN = (
    f"DELETE FROM relations WHERE ? IN (source_entity_id, target_entity_id) AND metadata ->> 'origin' IN {LIST}",
    f"DELETE FROM entity_dependencies WHERE ? IN (source_entity_id, target_entity_id)"
    f" AND metadata ->> 'origin' IN {LIST}",
)
#: Pairs of entities that these memories name together, where something joins them.
_JOINED = f"""
SELECT DISTINCT x.entity_id, y.entity_id FROM memory_entity_mentions x
  JOIN memory_entity_mentions y ON y.memory_id = x.memory_id AND y.entity_id <> x.entity_id
 WHERE x.memory_id IN {LIST}
   AND (EXISTS (SELECT 1 FROM relations r WHERE r.source_entity_id = x.entity_id AND r.target_entity_id = y.entity_id)
     OR EXISTS (SELECT 1 FROM entity_dependencies d
                 WHERE d.source_entity_id = x.entity_id AND d.target_entity_id = y.entity_id))"""
_SEPARATE = """
DELETE FROM {table} WHERE source_entity_id = ?1 AND target_entity_id = ?2 AND metadata ->> 'origin' IS NULL
   AND NOT EXISTS (SELECT 1 FROM memory_entity_mentions x
                     JOIN memory_entity_mentions y ON y.memory_id = x.memory_id AND y.entity_id = ?2
                    WHERE x.entity_id = ?1)"""
TARGETS = "SELECT DISTINCT target_entity_id FROM relations WHERE source_entity_id = ? AND metadata ->> 'origin' = ?"
UNRELATED = f"""
SELECT e.id FROM entities e WHERE e.id IN {LIST} AND NOT EXISTS (
    SELECT 1 FROM relations r WHERE r.target_entity_id = e.id OR r.source_entity_id = e.id)"""


def insert(
    tx: WriteTx,
    edge: Dependency,
    *,
    confidence: float,
    origin: str | None = None,
    agent_id: str,
    at: str,
) -> int:
    """Add an edge; return 0 where there is one of its type already."""
    metadata = json.dumps({"origin": origin}) if origin else None
    row = (ids.new_ordered_id(), agent_id, *edge[:4], confidence, edge.reason, metadata, at, at)
    return tx.run(_INSERT_DEPENDENCY, row)


def delete_of_origin(tx: WriteTx, entity_id: str, *origins: str) -> None:
    """Delete the relations and edges of an entity that are of these origins."""
    for statement in _DELETE_OF_ORIGIN:
        tx.run(statement, (entity_id, as_list(origins)))


def joined(tx: ReadTx, memory_ids: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs of entities that these memories name together and something joins: source and target."""
    return [(row[0], row[1]) for row in tx.tuples(_JOINED, (as_list(memory_ids),))]


def separate(tx: WriteTx, pairs: Sequence[tuple[str, str]]) -> None:
    """Delete what joins two entities that no memory names together any more, hidden ones too."""
    for table in ("relations", "entity_dependencies"):
        tx.many(_SEPARATE.format(table=table), pairs)
