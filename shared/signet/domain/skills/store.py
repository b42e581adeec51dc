"""The only SQL of skills in the graph.

What a skill has put into the graph bears `origin` in its metadata, so that it can be taken out again without touching
what memories have put there.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from signet import ids
from signet.db import ReadTx, Row, WriteTx
from signet.domain.graph import names
from signet.domain.skills.models import Node, Rules, Skill

#: Where edges of a skill come from: what its text speaks of, and what it has to do with other skills.
BODY, SKILLS = "skill-body", "skill-relation"
#: How long a skill whose embedding has died is left alone.
REST_SECONDS = 3_600

#: A file of the earlier program may leave out what has a default.
_FIELDS = """
s.entity_id, s.agent_id, e.name, e.description, s.triggers, s.tags, s.dependencies, s.fingerprint, s.fs_path, s.source,
s.enriched, s.installed_at, s.last_used_at,
coalesce(s.importance, 0.7) AS importance, coalesce(s.decay_rate, 0.99) AS decay_rate,
coalesce(s.use_count, 0) AS use_count
"""
_NODES = f"SELECT {_FIELDS} FROM skill_meta s JOIN entities e ON e.id = s.entity_id"
_OF_AGENT = f"{_NODES} WHERE s.agent_id = ? AND s.uninstalled_at IS NULL ORDER BY s.installed_at, s.entity_id"
_OF_IDS = f"{_NODES} WHERE s.entity_id IN (SELECT value FROM json_each(?))"
_NAMESAKE = """
SELECT e.id, e.name, e.entity_type, e.description, s.fs_path, s.uninstalled_at
FROM entities e LEFT JOIN skill_meta s ON s.entity_id = e.id WHERE e.agent_id = ? AND e.canonical_name = ?
"""
_INSERT_ENTITY = """
INSERT INTO entities (id, name, canonical_name, entity_type, description, agent_id, created_at, updated_at)
VALUES (?, ?, ?, 'skill', ?, ?, ?, ?)
"""
_UPDATE_ENTITY = """
UPDATE entities SET name = ?, description = ?, entity_type = 'skill', updated_at = ? WHERE id = ?
"""
_PUT_META = """
INSERT INTO skill_meta (entity_id, agent_id, version, author, license, source, role, triggers, tags, permissions,
    dependencies, fingerprint, adopted, enriched, installed_at, importance, decay_rate, fs_path)
VALUES (:id, :agent, :version, :author, :license, :source, :role, :triggers, :tags, :permissions, :dependencies,
    :fingerprint, :adopted, 0, :at, :importance, :decay_rate, :fs_path)
ON CONFLICT (entity_id) DO UPDATE SET version = excluded.version, author = excluded.author,
    license = excluded.license, source = CASE WHEN :renames THEN excluded.source ELSE source END,
    role = excluded.role, triggers = excluded.triggers, tags = excluded.tags, permissions = excluded.permissions,
    dependencies = excluded.dependencies, fingerprint = excluded.fingerprint, enriched = 0,
    fs_path = excluded.fs_path, uninstalled_at = NULL
"""
_ENRICH = "UPDATE skill_meta SET triggers = ?, tags = ?, enriched = 1 WHERE entity_id = ?"
_DESCRIBE = "UPDATE entities SET description = ?, updated_at = ? WHERE id = ?"
_USE = """
UPDATE skill_meta SET use_count = coalesce(use_count, 0) + 1, last_used_at = ?
WHERE entity_id IN (SELECT value FROM json_each(?))
"""
_RESTORE = (
    "UPDATE entities SET name = ?, entity_type = ?, description = ?, updated_at = ? WHERE id = ?"
)
_MENTIONED = "SELECT 1 FROM memory_entity_mentions WHERE entity_id = ? LIMIT 1"

_VECTOR = """
SELECT content_hash, model FROM embeddings WHERE source_type = 'skill' AND source_id = ? AND ordinal = 0
"""
#: Open jobs, and those that died a short while ago.
_BUSY = """
SELECT 1 FROM memory_jobs WHERE dedupe_key = ?
   AND (status IN ('pending', 'leased') OR (status = 'dead' AND unixepoch(failed_at) > ?)) LIMIT 1
"""
_VECTORS = """
SELECT s.entity_id, v.vector FROM skill_meta s
JOIN embeddings v ON v.source_type = 'skill' AND v.source_id = s.entity_id
WHERE s.agent_id IN (SELECT value FROM json_each(?)) AND s.uninstalled_at IS NULL
  AND v.dimensions = ? AND length(v.vector) = 4 * v.dimensions AND (? IS NULL OR v.model IS NULL OR v.model = ?)
"""

_THING = """
INSERT INTO entities (id, name, canonical_name, entity_type, mentions, agent_id, created_at, updated_at)
VALUES (?, ?, ?, ?, 0, ?, ?, ?) ON CONFLICT (agent_id, canonical_name) DO UPDATE SET updated_at = excluded.updated_at
RETURNING id
"""
_RELATION = """
INSERT INTO relations (id, source_entity_id, target_entity_id, relation_type, confidence, metadata, created_at,
    updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_EDGE = """
INSERT INTO entity_dependencies (id, agent_id, source_entity_id, target_entity_id, dependency_type, strength,
    confidence, reason, metadata, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_EDGES = """
SELECT source_entity_id, target_entity_id, dependency_type, strength, reason FROM entity_dependencies
WHERE agent_id = ? AND metadata ->> 'origin' = 'skill-relation'
"""
_DROP_EDGE = """
DELETE FROM entity_dependencies WHERE agent_id = ? AND source_entity_id = ? AND target_entity_id = ?
   AND dependency_type = ? AND metadata ->> 'origin' = 'skill-relation'
"""
_SPOKEN_OF = "SELECT DISTINCT target_entity_id FROM relations WHERE source_entity_id = ? AND metadata ->> 'origin' = ?"
_UNRELATED = """
SELECT value FROM json_each(?) WHERE NOT EXISTS (
    SELECT 1 FROM relations r WHERE r.target_entity_id = value OR r.source_entity_id = value)
"""

#: One edge between skills: source, target, type, strength, reason.
Edge = tuple[str, str, str, float, str]


def nodes(tx: ReadTx, agent_id: str) -> list[Node]:
    """Return the agent's skills, the oldest first."""
    return [_node(row) for row in tx.all(_OF_AGENT, (agent_id,))]


def by_ids(tx: ReadTx, entity_ids: Sequence[str]) -> dict[str, Node]:
    """Return these skills by entity."""
    return {row[0]: _node(row) for row in tx.all(_OF_IDS, (json.dumps(list(entity_ids)),))}


def named(tx: ReadTx, agent_id: str, name: str) -> Node | None:
    """Return the skill of this folder name."""
    return next((node for node in nodes(tx, agent_id) if node.name == name), None)


def namesake(tx: ReadTx, agent_id: str, canonical: str) -> Row | None:
    """Return the entity of a canonical name, with the path of the skill that it may be already."""
    return tx.one(_NAMESAKE, (agent_id, canonical))


def put(
    tx: WriteTx,
    entity_id: str,
    skill: Skill,
    *,
    agent_id: str,
    is_new: bool,
    source: str,
    renames_source: bool,
    adopted: Mapping[str, object] | None,
    rules: Rules,
    at: str,
) -> None:
    """Write the entity of a skill and what is known of it."""
    if is_new:
        named = (entity_id, skill.title, names.canonical(skill.name), skill.description)
        tx.run(_INSERT_ENTITY, (*named, agent_id, at, at))
    else:
        tx.run(_UPDATE_ENTITY, (skill.title, skill.description, at, entity_id))
    tx.run(
        _PUT_META,
        {
            "id": entity_id,
            "agent": agent_id,
            "version": skill.version,
            "author": skill.author,
            "license": skill.license,
            "source": source,
            "role": skill.role,
            "triggers": _json(skill.triggers),
            "tags": _json(skill.tags),
            "permissions": _json(skill.permissions),
            "dependencies": _json(skill.skills),
            "fingerprint": skill.fingerprint,
            "adopted": json.dumps(adopted) if adopted else None,
            "at": at,
            "importance": rules.importance,
            "decay_rate": rules.decay_rate,
            "fs_path": str(skill.path),
            "renames": renames_source,
        },
    )


def enrich(
    tx: WriteTx,
    entity_id: str,
    description: str,
    triggers: Sequence[str],
    tags: Sequence[str],
    *,
    at: str,
) -> None:
    """Write what a model has said of a skill."""
    tx.run(_ENRICH, (_json(triggers), _json(tags), entity_id))
    tx.run(_DESCRIBE, (description, at, entity_id))


def use(tx: WriteTx, entity_ids: Sequence[str], *, at: str) -> None:
    """Count one use of each."""
    tx.run(_USE, (at, json.dumps(list(entity_ids))))


def adopted(tx: ReadTx, entity_id: str) -> Mapping[str, object] | None:
    """Return what the entity was before a skill adopted it, if memories still speak of it."""
    told = tx.value("SELECT adopted FROM skill_meta WHERE entity_id = ?", (entity_id,))
    if told is None or tx.one(_MENTIONED, (entity_id,)) is None:
        return None
    found = json.loads(told)
    return found if isinstance(found, dict) else None


def restore(tx: WriteTx, entity_id: str, was: Mapping[str, object], *, at: str) -> None:
    """Make an entity again what it was before it became a skill."""
    drop_edges(tx, entity_id)
    tx.run("DELETE FROM skill_meta WHERE entity_id = ?", (entity_id,))
    tx.run(_RESTORE, (was["name"], was["type"], was["description"], at, entity_id))


def unmention(tx: WriteTx, entity_id: str) -> None:
    """Cut an entity off the memories that mention it."""
    tx.run("DELETE FROM memory_entity_mentions WHERE entity_id = ?", (entity_id,))


def vector(tx: ReadTx, entity_id: str) -> tuple[str, str | None] | None:
    """Return the hash and the model of a skill's vector."""
    row = tx.one(_VECTOR, (entity_id,))
    return (row[0], row[1]) if row else None


def is_busy(tx: ReadTx, dedupe_key: str | None, *, now: float) -> bool:
    """Return whether such a job is open, or has died less than `REST_SECONDS` ago; `now` in seconds."""
    return tx.one(_BUSY, (dedupe_key, now - REST_SECONDS)) is not None


def vectors(
    tx: ReadTx, agents: Sequence[str], dimensions: int, model: str | None
) -> list[tuple[str, bytes]]:
    """Return the vectors of the skills of these agents."""
    rows = tx.all(_VECTORS, (json.dumps(list(agents)), dimensions, model, model))
    return [(row[0], row[1]) for row in rows]


def thing(tx: WriteTx, name: str, canonical: str, type: str, *, agent_id: str, at: str) -> str:
    """Find or make an entity that no memory need mention, and return its id."""
    made = (ids.new_ordered_id(), name, canonical, type, agent_id, at, at)
    found: str = tx.value(_THING, made)
    return found


def relate(
    tx: WriteTx,
    source_id: str,
    target_id: str,
    type: str,
    *,
    confidence: float,
    reason: str,
    agent_id: str,
    at: str,
) -> None:
    """Write that a skill's text speaks of something."""
    told = json.dumps({"origin": BODY})
    ends = (source_id, target_id, type)
    tx.run(_RELATION, (ids.new_ordered_id(), *ends, confidence, told, at, at))
    tx.run(
        _EDGE,
        (ids.new_ordered_id(), agent_id, *ends, confidence, confidence, reason, told, at, at),
    )


def edges(tx: ReadTx, agent_id: str) -> list[Edge]:
    """Return the edges between the agent's skills."""
    return [(row[0], row[1], row[2], row[3], row[4]) for row in tx.all(_EDGES, (agent_id,))]


def change_edges(
    tx: WriteTx, agent_id: str, *, gone: Iterable[Edge], new: Iterable[Edge], at: str
) -> None:
    """Take edges between skills away and write others."""
    tx.many(_DROP_EDGE, [(agent_id, *edge[:3]) for edge in gone])
    told = json.dumps({"origin": SKILLS})
    tx.many(
        _EDGE,
        [(ids.new_ordered_id(), agent_id, *edge[:4], 1.0, edge[4], told, at, at) for edge in new],
    )


def drop_edges(tx: WriteTx, entity_id: str, *, origin: str | None = None) -> None:
    """Delete what a skill has put into the graph beside itself, or only what has this origin."""
    for table in ("relations", "entity_dependencies"):
        tx.run(
            f"DELETE FROM {table} WHERE ?1 IN (source_entity_id, target_entity_id)"
            " AND metadata ->> 'origin' IN ('skill-body', 'skill-relation')"
            " AND (?2 IS NULL OR metadata ->> 'origin' = ?2)",
            (entity_id, origin),
        )


def spoken_of(tx: ReadTx, entity_id: str) -> list[str]:
    """Return the entities that the text of a skill speaks of."""
    return [row[0] for row in tx.all(_SPOKEN_OF, (entity_id, BODY))]


def unrelated(tx: ReadTx, entity_ids: Sequence[str]) -> list[str]:
    """Return which of these entities no relation ends at."""
    return [row[0] for row in tx.all(_UNRELATED, (json.dumps(list(entity_ids)),))]


def _node(row: Row) -> Node:
    path = Path(row["fs_path"])
    return Node(
        entity_id=row["entity_id"],
        agent_id=row["agent_id"],
        name=path.parent.name,
        title=row["name"],
        description=row["description"] or "",
        triggers=_texts(row["triggers"]),
        tags=_texts(row["tags"]),
        requires=_texts(row["dependencies"]),
        fingerprint=row["fingerprint"],
        fs_path=row["fs_path"],
        source=row["source"],
        enriched=bool(row["enriched"]),
        importance=row["importance"],
        decay_rate=row["decay_rate"],
        installed_at=row["installed_at"],
        last_used_at=row["last_used_at"],
        use_count=row["use_count"],
    )


def _json(texts: Sequence[str]) -> str | None:
    return json.dumps(list(texts), ensure_ascii=False) if texts else None


def _texts(told: str | None) -> tuple[str, ...]:
    """Return a stored list; an older file may hold anything in its place."""
    try:
        found = json.loads(told) if told else []
    except ValueError:
        return ()
    return tuple(item for item in found if isinstance(item, str)) if isinstance(found, list) else ()
