"""Entities, and which memories mention them. Each write is safe to repeat.

`entities.mentions` is the number of memories that mention the entity: it grows with each new row of
`memory_entity_mentions`, and goes down when such rows are deleted.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from signet import ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, as_list, list_of, sql
from signet.domain.graph.models import EXTRACTED, UNKNOWN, Dependency, StatementSource

#: Types of an entity that is not classified yet.
_UNTYPED = frozenset({EXTRACTED, UNKNOWN})

_FIND = "SELECT id, entity_type FROM entities WHERE agent_id = ? AND canonical_name = ?"
_NAMED = f"SELECT canonical_name, id FROM entities WHERE agent_id = ? AND canonical_name IN {LIST}"
INSERT = """
INSERT INTO entities (id, name, canonical_name, entity_type, description, mentions, agent_id, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
FIND_OR_INSERT = f"""{INSERT}
ON CONFLICT (agent_id, canonical_name) DO UPDATE SET updated_at = excluded.updated_at RETURNING id"""
UPDATE = (
    "UPDATE entities SET name = ?, entity_type = ?, description = ?, updated_at = ? WHERE id = ?"
)
DESCRIBE = "UPDATE entities SET description = ?, updated_at = ? WHERE id = ?"
_TYPE = "UPDATE entities SET entity_type = ? WHERE id = ?"
FIRST_TYPE = """
UPDATE entities SET entity_type = ?, updated_at = ? WHERE id = ? AND entity_type IN ('extracted', 'unknown')"""
#: On a server, saves of other hosts would wait for the row: it is counted after the commit (triggers.sql).
_COUNT = sql(
    "UPDATE entities SET mentions = mentions + ?, updated_at = ? WHERE id = ?",
    postgres="INSERT INTO mentions_due (more, at, entity_id) VALUES (?, ?, ?)",
)
UNCOUNT = "UPDATE entities SET mentions = max(0, mentions - ?), updated_at = ? WHERE id = ?"
UNNAME = """
UPDATE entities SET mentions = mentions - 1
 WHERE id = ?1 AND mentions > (SELECT count(*) FROM memory_entity_mentions WHERE entity_id = ?1)"""
_MENTION = """
INSERT INTO memory_entity_mentions (memory_id, entity_id, mention_text, confidence, created_at)
VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
MENTIONED = "SELECT count(*) FROM memory_entity_mentions WHERE memory_id = ?"
LOST = f"SELECT entity_id, count(*) FROM memory_entity_mentions WHERE memory_id IN {LIST} GROUP BY entity_id"
UNMENTION = f"DELETE FROM memory_entity_mentions WHERE memory_id IN {LIST}"
#: Entities that several of the memories mention, and how many mentions are too many once one memory has them all.
SURPLUS = f"""
SELECT entity_id, count(*) - 1 FROM memory_entity_mentions WHERE memory_id IN {list_of("?1")} OR memory_id = ?2
GROUP BY entity_id HAVING count(*) > 1"""
MOVE_MENTIONS = f"""
UPDATE OR IGNORE memory_entity_mentions SET memory_id = ?2 WHERE memory_id IN {list_of("?1")}"""
_ORPHANS = f"""
SELECT id FROM entities e WHERE id IN {LIST} AND mentions = 0 AND pinned = 0
   AND entity_type NOT IN ('skill', 'task', 'chunk_group')
   AND NOT EXISTS (SELECT 1 FROM entity_pinning p WHERE p.entity_id = e.id)
   AND NOT EXISTS (SELECT 1 FROM memory_entity_mentions m WHERE m.entity_id = e.id)
   AND NOT EXISTS (SELECT 1 FROM entity_attributes a WHERE a.entity_id = e.id AND a.status = 'active')"""
#: An entity and all that refers to it, leaves first: the tables have no enforced foreign keys.
_DELETE = (
    f"DELETE FROM relations WHERE source_entity_id IN {LIST}",
    f"DELETE FROM relations WHERE target_entity_id IN {LIST}",
    f"DELETE FROM entity_dependencies WHERE source_entity_id IN {LIST}",
    f"DELETE FROM entity_dependencies WHERE target_entity_id IN {LIST}",
    f"DELETE FROM memory_entity_mentions WHERE entity_id IN {LIST}",
    f"DELETE FROM entity_attributes WHERE entity_id IN {LIST}",
    f"DELETE FROM entity_aspects WHERE entity_id IN {LIST}",
    f"DELETE FROM entity_pinning WHERE entity_id IN {LIST}",
    f"DELETE FROM task_meta WHERE entity_id IN {LIST}",
    f"DELETE FROM entities WHERE id IN {LIST}",
)


class NamedId(NamedTuple):
    id: str
    entity_type: str


def find(tx: ReadTx, canonical: str, *, agent_id: str) -> NamedId | None:
    found = tx.tuples(_FIND, (agent_id, canonical))
    return NamedId(*found[0]) if found else None


def named(tx: ReadTx, canonicals: Iterable[str], *, agent_id: str) -> dict[str, str]:
    """Return the IDs of the entities that have these names, by name."""
    return dict(tx.tuples(_NAMED, (agent_id, as_list(canonicals))))


def mention_new(
    tx: WriteTx,
    source: StatementSource,
    spelt: Mapping[str, str],
    stored: Mapping[str, str],
    *,
    type: str,
    confidence: float,
) -> dict[str, str]:
    """Link a memory without mentions to entities, and return their IDs, by canonical name.

    `spelt` has the name of each, `stored` the IDs of those that exist; the others are created with the type.
    """
    at, owner = source.at, source.agent_id
    found = {one: stored.get(one) or ids.new_ordered_id() for one in spelt}
    new = [
        (id_, spelt[one], one, type, None, 1, owner, at, at)
        for one, id_ in found.items()
        if one not in stored
    ]
    said = [(source.memory_id, id_, spelt[one], confidence, at) for one, id_ in found.items()]
    tx.many(INSERT, new)
    tx.many(_MENTION, said)
    tx.many(_COUNT, [(1, at, id_) for one, id_ in found.items() if one in stored])
    return found


def mention(
    tx: WriteTx,
    source: StatementSource,
    *,
    name: str,
    canonical: str,
    type: str,
    confidence: float,
    text: str | None = None,
) -> str:
    """Find or create the entity, link the memory to it (as `text`, else by its name), and return its ID.

    A type replaces an unknown one.
    """
    known = find(tx, canonical, agent_id=source.agent_id)
    entity_id = ids.new_ordered_id() if known is None else known.id
    if known is None:
        tx.run(
            INSERT,
            (entity_id, name, canonical, type, None, 1, source.agent_id, source.at, source.at),
        )
    elif known.entity_type in _UNTYPED and type not in _UNTYPED:
        tx.run(_TYPE, (type, entity_id))
    is_new = tx.run(_MENTION, (source.memory_id, entity_id, text or name, confidence, source.at))
    if known is not None:
        tx.run(_COUNT, (is_new, source.at, entity_id))
    return entity_id


def delete_orphans(tx: WriteTx, entity_ids: Sequence[str]) -> int:
    """Delete those of these entities that nothing references; return their number.

    Mentions, pins, suppressions and active attributes keep an entity; skills, tasks and chunk groups always stay.
    """
    orphans = tx.column(_ORPHANS, (as_list(entity_ids),))
    delete(tx, orphans)
    return len(orphans)


def delete(tx: WriteTx, entity_ids: Sequence[str]) -> None:
    """Delete entities with everything that refers to them."""
    listed = (as_list(entity_ids),)
    for statement in _DELETE if entity_ids else ():
        tx.run(statement, listed)


CANCEL = """
UPDATE task_meta SET status = 'cancelled', completed_at = ?1, updated_at = ?1 WHERE entity_id IN (
  SELECT entity_id FROM task_meta
  WHERE status IN ('open', 'in_progress', 'blocked') AND expires_at < ?1 ORDER BY expires_at LIMIT ?2)"""
ENDED = """
SELECT t.entity_id FROM task_meta t JOIN entities e ON e.id = t.entity_id
WHERE t.status IN ('done', 'cancelled') AND t.retention_until < ? AND e.pinned = 0
  AND NOT EXISTS (SELECT 1 FROM entity_pinning p WHERE p.entity_id = t.entity_id)
ORDER BY t.retention_until LIMIT ?"""


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
JOINED = f"""
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


def insert_edge(
    tx: WriteTx,
    edge: Dependency,
    *,
    confidence: float,
    origin: str | None = None,
    agent_id: str,
    at: str,
) -> int:
    """Add an edge; return 0 if one of its type exists."""
    metadata = json.dumps({"origin": origin}) if origin else None
    row = (ids.new_ordered_id(), agent_id, *edge[:4], confidence, edge.reason, metadata, at, at)
    return tx.run(_INSERT_DEPENDENCY, row)


def delete_of_origin(tx: WriteTx, entity_id: str, *origins: str) -> None:
    for statement in _DELETE_OF_ORIGIN:
        tx.run(statement, (entity_id, as_list(origins)))


def separate(tx: WriteTx, pairs: Sequence[tuple[str, str]]) -> None:
    """Delete edges between entities that no memory names together any more."""
    for table in ("relations", "entity_dependencies"):
        tx.many(_SEPARATE.format(table=table), pairs)
