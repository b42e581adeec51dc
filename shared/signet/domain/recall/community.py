"""Keeping a question to the communities of the entities that it names, where somebody asks for that (KG-19)."""

import json

from signet.domain.recall.models import Scores
from signet.domain.recall.run import Run

_WITHIN = """
SELECT m.seq FROM json_each(:seqs) j CROSS JOIN memories m ON m.seq = j.value
WHERE EXISTS (
  SELECT 1 FROM memory_entity_mentions x CROSS JOIN entities e ON e.id = x.entity_id
  WHERE x.memory_id = m.id AND e.community_id IN (
    SELECT f.community_id FROM entities f WHERE f.id IN (SELECT value FROM json_each(:focal))))
"""


def within(run: Run, scores: Scores) -> Scores:
    """Return the candidates that belong to these communities, if that is a page of them; else all."""
    focal = json.dumps([entity.id for entity in run.focal])
    rows = run.tx.all(_WITHIN, {"seqs": json.dumps(list(scores)), "focal": focal})
    inside = {row[0]: scores[row[0]] for row in rows}
    return inside if len(inside) >= run.query.size else scores
