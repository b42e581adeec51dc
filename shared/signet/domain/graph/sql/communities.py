"""Communities of entities, and the runs that found them."""

from typing import NamedTuple

from signet.db import ReadTx
from signet.db.dialect import LIST

AGENTS = "SELECT agent_id FROM entities UNION SELECT agent_id FROM entity_communities ORDER BY 1"
#: A third of the graph is younger than its last run, or there was none.
OUTGROWN = """
SELECT e.agent_id FROM entities e LEFT JOIN community_runs r ON r.agent_id = e.agent_id
GROUP BY e.agent_id HAVING 3 * count(*) FILTER (WHERE r.ran_at IS NULL OR e.created_at > r.ran_at) >= count(*)"""
ENTITIES = "SELECT id, name, mentions, community_id FROM entities WHERE agent_id = ? ORDER BY id"
#: Of parallel edges, in either direction, the largest counts.
EDGES = """
SELECT min(source_entity_id, target_entity_id), max(source_entity_id, target_entity_id),
       max(max(0, strength) * max(0, coalesce(confidence, 0.7))) AS weight
FROM entity_dependencies WHERE agent_id = ? AND source_entity_id <> target_entity_id
GROUP BY 1, 2 HAVING weight > 0 ORDER BY 1, 2"""
_LAST = "SELECT coalesce(modularity, 0.0), graph_signature FROM community_runs WHERE agent_id = ?"
FOUND = """
SELECT id, name, cohesion, member_count, created_at, updated_at FROM (
  SELECT c.id, e.name, c.cohesion, count(*) AS member_count, c.created_at, c.updated_at, max(e.mentions)
  FROM entity_communities c JOIN entities e ON e.community_id = c.id
  WHERE c.agent_id = :agent AND {entity:e} GROUP BY c.id)
ORDER BY member_count DESC, name, id"""
PUT = """
INSERT INTO entity_communities (id, agent_id, name, cohesion, member_count, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, cohesion = excluded.cohesion,
    member_count = excluded.member_count, updated_at = excluded.updated_at"""
MOVE = "UPDATE entities SET community_id = ? WHERE id = ?"
DELETE_OTHERS = f"DELETE FROM entity_communities WHERE agent_id = ? AND id NOT IN {LIST}"
NOTE = """
INSERT INTO community_runs (agent_id, modularity, quality, graph_signature, ran_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (agent_id) DO UPDATE SET modularity = excluded.modularity, quality = excluded.quality,
    graph_signature = excluded.graph_signature, ran_at = excluded.ran_at"""


class Member(NamedTuple):
    """An entity and the community it belongs to."""

    id: str
    name: str
    mentions: int
    community_id: str | None


def last_run(tx: ReadTx, agent_id: str) -> tuple[float, str | None]:
    """Return the modularity of the last run for an agent, and the signature of its graph; (0, None) before it."""
    found = tx.tuples(_LAST, (agent_id,))
    return found[0] if found else (0.0, None)
