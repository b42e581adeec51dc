"""The statements of `recall/correct.py`, for communities."""

from signet.db.dialect import THEN_JOIN, list_of, list_rows

WITHIN = f"""
SELECT m.seq FROM {list_rows(":seqs")} j {THEN_JOIN} memories m ON m.seq = j.value
WHERE EXISTS (
  SELECT 1 FROM memory_entity_mentions x {THEN_JOIN} entities e ON e.id = x.entity_id
  WHERE x.memory_id = m.id AND e.community_id IN (
    SELECT f.community_id FROM entities f WHERE f.id IN {list_of(":focal")}))
"""
