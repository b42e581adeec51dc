"""The statements of `recall/community.py`."""

WITHIN = """
SELECT m.seq FROM json_each(:seqs) j CROSS JOIN memories m ON m.seq = j.value
WHERE EXISTS (
  SELECT 1 FROM memory_entity_mentions x CROSS JOIN entities e ON e.id = x.entity_id
  WHERE x.memory_id = m.id AND e.community_id IN (
    SELECT f.community_id FROM entities f WHERE f.id IN (SELECT value FROM json_each(:focal))))
"""
