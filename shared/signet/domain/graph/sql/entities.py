"""Entities, and which memories mention them. Each write is safe to repeat.

`entities.mentions` is the number of memories that mention the entity: it grows with each new row of
`memory_entity_mentions`, and goes down when such rows are deleted.
"""

from collections.abc import Sequence
from typing import NamedTuple

from signet import ids
from signet.db import ReadTx, WriteTx
from signet.db.dialect import LIST, as_list, list_of
from signet.domain.graph.models import EXTRACTED, UNKNOWN, Source

#: Types of an entity of which nothing is known yet.
_UNTYPED = frozenset({EXTRACTED, UNKNOWN})

_FIND = "SELECT id, entity_type FROM entities WHERE agent_id = ? AND canonical_name = ?"
_INSERT = """
INSERT INTO entities (id, name, canonical_name, entity_type, description, mentions, agent_id, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
FIND_OR_INSERT = f"""{_INSERT}
ON CONFLICT (agent_id, canonical_name) DO UPDATE SET updated_at = excluded.updated_at RETURNING id"""
UPDATE = (
    "UPDATE entities SET name = ?, entity_type = ?, description = ?, updated_at = ? WHERE id = ?"
)
DESCRIBE = "UPDATE entities SET description = ?, updated_at = ? WHERE id = ?"
_TYPE = "UPDATE entities SET entity_type = ? WHERE id = ?"
FIRST_TYPE = """
UPDATE entities SET entity_type = ?, updated_at = ? WHERE id = ? AND entity_type IN ('extracted', 'unknown')"""
_COUNT = "UPDATE entities SET mentions = mentions + ?, updated_at = ? WHERE id = ?"
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


class Found(NamedTuple):
    """The entity of a name."""

    id: str
    entity_type: str


def find(tx: ReadTx, canonical: str, *, agent_id: str) -> Found | None:
    """Return the agent's entity of this canonical name."""
    found = tx.tuples(_FIND, (agent_id, canonical))  # runs several times in each save
    return Found(*found[0]) if found else None


def mention(
    tx: WriteTx,
    source: Source,
    *,
    name: str,
    canonical: str,
    type: str,
    confidence: float,
    text: str | None = None,
) -> str:
    """Find or make the entity, let the memory mention it (as `text`, else by its name), and return its id.

    A type replaces one that says nothing.
    """
    known = find(tx, canonical, agent_id=source.agent_id)
    entity_id = ids.new_ordered_id() if known is None else known.id
    if known is None:
        insert(
            tx, entity_id, name, canonical, type, mentions=1, agent_id=source.agent_id, at=source.at
        )
    elif known.entity_type in _UNTYPED and type not in _UNTYPED:
        tx.run(_TYPE, (type, entity_id))
    is_new = tx.run(_MENTION, (source.memory_id, entity_id, text or name, confidence, source.at))
    if known is not None:
        tx.run(_COUNT, (is_new, source.at, entity_id))
    return entity_id


def insert(
    tx: WriteTx,
    entity_id: str,
    name: str,
    canonical: str,
    type: str,
    *,
    description: str | None = None,
    mentions: int = 0,
    agent_id: str,
    at: str,
) -> None:
    """Make an entity."""
    tx.run(_INSERT, (entity_id, name, canonical, type, description, mentions, agent_id, at, at))


def delete_orphans(tx: WriteTx, entity_ids: Sequence[str]) -> int:
    """Delete those entities that no memory mentions and nothing keeps, with all of theirs; return how many.

    A skill, a task or a group of chunks is kept, and so is what a person has pinned or suppressed, or what an active
    attribute is about.
    """
    orphans = [row[0] for row in tx.tuples(_ORPHANS, (as_list(entity_ids),))]
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


PUT = """
INSERT INTO entity_pinning (id, agent_id, entity_id, pin_type, weight_override, reason, created_at)
SELECT ?, agent_id, id, ?, ?, ?, ? FROM entities WHERE id = ? AND agent_id = ?
ON CONFLICT (agent_id, entity_id) DO UPDATE SET pin_type = excluded.pin_type,
    weight_override = excluded.weight_override, reason = excluded.reason, created_at = excluded.created_at"""
DELETE = "DELETE FROM entity_pinning WHERE entity_id = ? AND agent_id = ?"
MIRROR = "UPDATE entities SET pinned = ?, pinned_at = ? WHERE id = ? AND agent_id = ?"
PINNED = """
SELECT e.id, e.name, coalesce(e.pinned_at, '') AS pinned_at FROM entities e
WHERE e.agent_id = :agent AND e.pinned = 1 AND {entity:e} ORDER BY e.pinned_at DESC, name, id"""
SUPPRESSED = """
SELECT e.id, e.name, p.created_at AS pinned_at FROM entity_pinning p JOIN entities e ON e.id = p.entity_id
WHERE p.agent_id = :agent AND p.pin_type = 'suppress' AND {entity:e} ORDER BY p.created_at DESC, e.name, e.id"""
