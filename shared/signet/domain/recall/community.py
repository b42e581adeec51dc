"""Keeping a question to the communities of the entities that it names, where somebody asks for that (KG-19)."""

import json

from signet.domain.recall.models import Scores
from signet.domain.recall.run import Run
from signet.domain.recall.sql import community as sql


def within(run: Run, scores: Scores) -> Scores:
    """Return the candidates that belong to these communities, if that is a page of them; else all."""
    focal = json.dumps([entity.id for entity in run.focal])
    rows = run.tx.all(sql.WITHIN, {"seqs": json.dumps(list(scores)), "focal": focal})
    inside = {row[0]: scores[row[0]] for row in rows}
    return inside if len(inside) >= run.query.size else scores
