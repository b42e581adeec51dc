"""Rows of skills; their entities and edges are written by `graph/skill_nodes.py`."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from signet.db import ReadTx
from signet.db.dialect import LIST, as_list
from signet.domain.skills.models import SkillNode

#: Wait before a skill whose embedding has died is tried again.
REST_SECONDS = 3_600

#: A file of the earlier program may omit fields with a default.
_FIELDS = """
s.entity_id, s.agent_id, e.name AS title, coalesce(e.description, '') AS description, s.triggers, s.tags,
s.dependencies AS requires, s.fingerprint, s.fs_path, s.source, s.enriched, s.installed_at, s.last_used_at,
coalesce(s.importance, 0.7) AS importance, coalesce(s.decay_rate, 0.99) AS decay_rate,
coalesce(s.use_count, 0) AS use_count
"""
_NODES = f"SELECT {_FIELDS} FROM skill_meta s JOIN entities e ON e.id = s.entity_id"
_OF_AGENT = f"{_NODES} WHERE s.agent_id = ? AND s.uninstalled_at IS NULL ORDER BY s.installed_at, s.entity_id"
_OF_IDS = f"{_NODES} WHERE s.entity_id IN {LIST}"
NAMESAKE = """
SELECT e.id, e.name, e.entity_type, e.description, s.fs_path, s.uninstalled_at
FROM entities e LEFT JOIN skill_meta s ON s.entity_id = e.id WHERE e.agent_id = ? AND e.canonical_name = ?
"""
PUT_META = """
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
ENRICH = "UPDATE skill_meta SET triggers = ?, tags = ?, enriched = 1 WHERE entity_id = ?"
USE = f"""
UPDATE skill_meta SET use_count = coalesce(use_count, 0) + 1, last_used_at = ? WHERE entity_id IN {LIST}
"""
DELETE = "DELETE FROM skill_meta WHERE entity_id = ?"
ADOPTED = "SELECT adopted FROM skill_meta WHERE entity_id = ?"
MENTIONED = "SELECT 1 FROM memory_entity_mentions WHERE entity_id = ? LIMIT 1"

_VECTOR = """
SELECT content_hash, model FROM embeddings WHERE source_type = 'skill' AND source_id = ? AND ordinal = 0
"""
#: Open jobs, and those that died a short while ago.
BUSY = """
SELECT 1 FROM memory_jobs WHERE dedupe_key = ?
   AND (status IN ('pending', 'leased') OR (status = 'dead' AND unixepoch(failed_at) > ?)) LIMIT 1
"""
VECTORS = f"""
SELECT s.entity_id, v.vector FROM skill_meta s
JOIN embeddings v ON v.source_type = 'skill' AND v.source_id = s.entity_id
WHERE s.agent_id IN {LIST} AND s.uninstalled_at IS NULL
  AND v.dimensions = ? AND length(v.vector) = 4 * v.dimensions AND (? IS NULL OR v.model IS NULL OR v.model = ?)
"""


class Namesake(NamedTuple):
    """An entity with the canonical name of a skill; its path if it is a skill already."""

    id: str
    name: str
    entity_type: str
    description: str | None
    fs_path: str | None
    uninstalled_at: str | None


def nodes(tx: ReadTx, agent_id: str) -> list[SkillNode]:
    return tx.rows(SkillNode, _OF_AGENT, (agent_id,))


def by_ids(tx: ReadTx, entity_ids: Sequence[str]) -> dict[str, SkillNode]:
    return {one.entity_id: one for one in tx.rows(SkillNode, _OF_IDS, (as_list(entity_ids),))}


def vector(tx: ReadTx, entity_id: str) -> tuple[str, str | None] | None:
    found = tx.tuples(_VECTOR, (entity_id,))
    return (found[0][0], found[0][1]) if found else None


def json_list(texts: Sequence[str]) -> str | None:
    return json.dumps(list(texts), ensure_ascii=False) if texts else None
