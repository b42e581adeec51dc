"""Jobs of one kind and one subject that wait together: one run may do them all.

The run that was leased does the others' work too and completes those that still wait, in its own transaction. They were
never leased, so they are charged nothing; one that another run has leased meanwhile is done twice, which every job is
safe against. `subject` is a key of the payload.
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

#: How many waiting jobs are searched, the next due first.
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
    """Return up to `count` jobs that wait for the same as this one; none for a job that is to run alone.

    A job runs alone once it has failed, or when a run before has passed it over.
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
    """Let a job that still waits run alone: a run with others passed it over."""
    tx.run(_ALONE, (job_id,))
