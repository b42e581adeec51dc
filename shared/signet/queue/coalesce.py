"""Jobs of one kind and subject that wait together: one run may do them all.

The leased run also does the others' work and completes those that still wait, in its own transaction. They were never
leased, so this uses up no attempt; one that another run has leased meanwhile is done twice, which is safe for every
job. `subject` is a key of the payload.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from signet import clock
from signet.db import ReadTx, WriteTx
from signet.db.dialect import at_most
from signet.queue.transitions import Lease

#: Waiting jobs that are searched, the next due first.
SEARCHED = 2_000

_WAITING = f"""
SELECT id, memory_id, payload FROM (
    SELECT id, memory_id, job_type, payload, agent_id FROM memory_jobs
     WHERE status = 'pending' AND queue = :queue AND attempts = 0 ORDER BY priority, due_ms, id LIMIT {SEARCHED})
 WHERE job_type = :kind AND agent_id IS :agent AND json_valid(payload)
   AND payload ->> :key = :value AND payload ->> 'alone' IS NULL {at_most(":count")}"""
_COMPLETE = """
UPDATE memory_jobs SET status = 'completed', completed_at = ?1, updated_at = ?1, result = ?2
 WHERE id = ?3 AND status = 'pending'"""
_ALONE = "UPDATE memory_jobs SET payload = json_set(payload, '$.alone', 1) WHERE id = ? AND status = 'pending'"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingJob:
    job_id: str
    memory_id: str | None
    payload: Mapping[str, Any]


def waiting(tx: ReadTx, lease: Lease, key: str, *, count: int) -> list[WaitingJob]:
    """Return up to `count` waiting jobs with the same subject; none for a job that must run alone.

    A job runs alone after it has failed, or after another run has left it out.
    """
    if lease.attempts > 1 or lease.payload.get("alone") or count < 1:
        return []
    asked = {
        "queue": lease.queue,
        "kind": lease.kind,
        "agent": lease.agent_id,
        "key": key,
        "value": lease.payload.get(key),
        "count": count,
    }
    return [
        WaitingJob(job_id=row["id"], memory_id=row["memory_id"], payload=json.loads(row["payload"]))
        for row in tx.all(_WAITING, asked)
    ]


def complete(tx: WriteTx, job_id: str, *, by: str, now: datetime) -> None:
    """Complete a job that still waits: the job `by` has done its work."""
    tx.run(_COMPLETE, (clock.to_text(now), json.dumps({"doneBy": by}), job_id))


def leave_alone(tx: WriteTx, job_id: str) -> None:
    """Make a waiting job run alone: a run with others left it out."""
    tx.run(_ALONE, (job_id,))
