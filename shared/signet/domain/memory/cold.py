"""What the pipeline has changed or removed, kept whole outside recall, so that a person can undo it.

Only for what nobody asked for: what a person forgets is not kept here (PIP-58).
"""

import json
from datetime import datetime

from signet import clock, ids
from signet.db import Row, WriteTx

SUPERSEDED = "superseded"
PIPELINE_DELETE = "pipeline_delete"

_SAME = (
    "type, category, content, confidence, importance, source_id, source_type, tags, who, why, project, content_hash,"
    " normalized_content, extraction_status, embedding_model, extraction_model, update_count, agent_id"
)
_INSERT = (
    f"INSERT INTO memories_cold (archive_id, memory_id, {_SAME}, original_created_at, archived_at, archived_reason,"
    f" original_row_json) VALUES (?, ?, {', '.join('?' * (_SAME.count(',') + 1))}, ?, ?, ?, ?)"
)


def row(tx: WriteTx, memory_id: str) -> Row | None:
    """Return a memory as it is stored now, to be kept if the change that follows really applies."""
    return tx.one("SELECT * FROM memories WHERE id = ?", (memory_id,))


def drop_deleted(tx: WriteTx, memory_id: str) -> None:
    """Delete the copies of a memory whose removal a person undoes: should they forget it later, nothing is left."""
    sql = "DELETE FROM memories_cold WHERE memory_id = ? AND archived_reason = ?"
    tx.run(sql, (memory_id, PIPELINE_DELETE))


def keep(tx: WriteTx, old: Row, *, reason: str, at: datetime) -> None:
    """Keep a row as it was before it was changed."""
    whole = json.dumps(dict(old), ensure_ascii=False)
    same = tuple(old[name.strip()] for name in _SAME.split(","))
    tx.run(
        _INSERT,
        (
            ids.new_ordered_id(),
            old["id"],
            *same,
            old["created_at"],
            clock.to_text(at),
            reason,
            whole,
        ),
    )
