"""SQL for `recall/time_lookup.py`."""

from signet.db.dialect import LIST, THEN_JOIN, at_most, by_index, list_rows

#: The time of a memory's event, and the time of the statement; for a fact, that of its source.
TIMES = f"""
SELECT m.seq, coalesce(m.event_at, p.event_at), coalesce(p.created_at, m.created_at) FROM memories m
LEFT JOIN memories p ON m.source_type = 'pipeline-v2' AND p.id = m.source_id
WHERE m.seq IN {LIST}
"""
#: Newest first: the older part of a long interval is cut off, at the latest after this many rows of all agents.
MOST_ROWS = 5_000
WITHIN = f"""
SELECT m.seq FROM (
  SELECT t.seq FROM memories t {by_index("{index}")} WHERE t.{{column}} >= ? AND t.{{column}} < ?{{own}}
  ORDER BY t.{{column}} DESC LIMIT {MOST_ROWS}) t
{THEN_JOIN} memories m ON m.seq = t.seq WHERE {{where}} {at_most()}
"""
#: Only memories without an event date.
NO_EVENT = " AND t.event_at IS NULL"
#: The successors of a memory, nearest first, without forgotten ones; the limit on steps ends a cycle.
REPLACED = f"""
WITH RECURSIVE chain (seq, id, step) AS (
  SELECT m.seq, m.superseded_by, 1 FROM memories m
  WHERE m.seq IN {LIST} AND m.superseded_by IS NOT NULL AND {{over_m}}
  UNION
  SELECT c.seq, n.superseded_by, c.step + 1 FROM chain c {THEN_JOIN} memories n ON n.id = c.id
  WHERE n.superseded_by IS NOT NULL AND c.step < 50 AND {{over_n}}
)
SELECT c.seq, r.seq FROM chain c {THEN_JOIN} memories r ON r.id = c.id WHERE {{stands}} ORDER BY c.seq, c.step
"""
VALIDITY = f"""
SELECT m.seq, m.valid_to, (SELECT r.id FROM memories r WHERE r.seq = j.value ->> 1)
FROM {list_rows()} j {THEN_JOIN} memories m ON m.seq = j.value ->> 0
"""
