"""Asking for hints: questions that somebody may have later and that this memory answers (pipeline.md §10).

They are written in the background by a model. A memory that has hints, given with it or written before, gets no others;
a change of its text drops them (MEM-27).
"""

import json
from collections.abc import Sequence
from datetime import datetime

from signet.db import WriteTx
from signet.queue import Job, enqueue

_WITHOUT = """
SELECT m.id FROM json_each(?) j JOIN memories m ON m.id = j.value
 WHERE m.is_deleted = 0 AND NOT EXISTS (SELECT 1 FROM memory_hints h WHERE h.memory_id = m.id)
 ORDER BY j.key"""


def want(
    tx: WriteTx,
    memory_ids: Sequence[str],
    *,
    agent_id: str,
    now: datetime,
    attempts: int,
) -> None:
    """Queue a job for each of these memories that has no hints."""
    listed = json.dumps(list(dict.fromkeys(memory_ids)))
    for (memory_id,) in tx.all(_WITHOUT, (listed,)):
        job = Job(kind="prospective_index", memory_id=memory_id, agent_id=agent_id)
        enqueue(tx, job, now=now, max_attempts=attempts)
