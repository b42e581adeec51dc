"""The memories that say why: of type rationale, about what a decision is about (REC-24)."""

import json
from collections.abc import Sequence

from signet.db import ReadTx
from signet.db.visibility import Where
from signet.domain.recall.sql import reasons as sql


def of(tx: ReadTx, memory_ids: Sequence[str], where: Where, limit: int) -> list[int]:
    """Return memories of type rationale that share an entity with one of these, newest first."""
    entities = tx.all(sql.ENTITIES_OF, (json.dumps(memory_ids),))
    if not entities:
        return []
    is_few = sum(row[1] for row in entities) <= sql.FEW_MENTIONS
    statement = sql.AMONG_MENTIONS if is_few else sql.AMONG_NEWEST
    params = (json.dumps([row[0] for row in entities]), *where.params, limit)
    return [row[0] for row in tx.all(statement.format(where=where.sql), params)]
