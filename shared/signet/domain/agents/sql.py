"""SQL of agents."""

from typing import NamedTuple

#: An unknown policy counts as the most restrictive.
AGENT = """
SELECT id, iif(read_policy IN ('shared', 'group'), read_policy, 'isolated') AS read_policy, policy_group, name,
       created_at, updated_at FROM agents"""
AGENT_BY_ID = f"{AGENT} WHERE id = ?"
AGENTS = f"{AGENT} ORDER BY id <> 'default', id"
HAS_OTHERS = "SELECT 1 FROM agents WHERE id <> 'default' LIMIT 1"
PUT_AGENT = """
INSERT INTO agents (id, name, read_policy, policy_group, created_at, updated_at)
VALUES (:id, :name, :policy, :group, :at, :at)
ON CONFLICT (id) DO UPDATE SET
    name = coalesce(name, excluded.name), read_policy = excluded.read_policy,
    policy_group = excluded.policy_group, updated_at = excluded.updated_at
 WHERE name IS NULL OR read_policy IS NOT excluded.read_policy OR policy_group IS NOT excluded.policy_group"""
DELETE_AGENT = "DELETE FROM agents WHERE id = ?"
# All rows are counted in an index; only the few forgotten ones are read.
MEMORY_COUNTS = """
SELECT agent_id, visibility, sum(number) AS number FROM (
    SELECT agent_id, visibility, count(*) AS number FROM memories GROUP BY agent_id, visibility
    UNION ALL
    SELECT agent_id, visibility, -count(*) FROM memories WHERE is_deleted = 1 GROUP BY agent_id, visibility)
 WHERE ?1 IS NULL OR agent_id = ?1 GROUP BY agent_id, visibility HAVING sum(number) > 0"""


class MemoryCount(NamedTuple):
    agent_id: str
    visibility: str
    number: int
