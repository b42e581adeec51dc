"""What the pipeline has changed or removed, kept whole outside recall, so that a person can undo it.

Only for what nobody asked for: what a person forgets is not kept here (PIP-58).
"""

import json
from datetime import datetime

from signet import clock, ids
from signet.db import Row, WriteTx
from signet.domain.memory.sql import history as sql

SUPERSEDED = "superseded"
PIPELINE_DELETE = "pipeline_delete"


def row(tx: WriteTx, memory_id: str) -> Row | None:
    """Return a memory as it is stored now, to be kept if the change that follows really applies."""
    return tx.one(sql.WHOLE, (memory_id,))


def drop_deleted(tx: WriteTx, memory_id: str) -> None:
    """Delete the copies of a memory whose removal a person undoes: should they forget it later, nothing is left."""
    tx.run(sql.DELETE_COPIES, (memory_id, PIPELINE_DELETE))


def drop(tx: WriteTx, memory_id: str) -> None:
    """Delete every copy of a memory."""
    tx.run(sql.DELETE_ALL_COPIES, (memory_id,))


def keep(tx: WriteTx, old: Row, *, reason: str, at: datetime) -> None:
    """Keep a row as it was before it was changed."""
    whole = json.dumps(dict(old), ensure_ascii=False)
    same = (old[name.strip()] for name in sql.SAME.split(","))
    times = (old["created_at"], clock.to_text(at))
    tx.run(sql.COPY, (ids.new_ordered_id(), old["id"], *same, *times, reason, whole))
